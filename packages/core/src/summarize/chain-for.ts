import type { BundlePlan } from '../plan/plan-bundle.ts'
import { exceedsSource } from '../plan/transcript/condense-transcript.ts'
import type { Note } from '../session/note.ts'
import type { Summarizer } from './summarizer.ts'

/**
 * Returns the summarizers to ask about a session: without the models whose requests would take more tokens than the
 * session has, if a summarizer of the chain calls no model. A plan whose `maxReadRatio` is 1 asks them all the same.
 */
export function chainFor(
  plan: BundlePlan,
  chain: readonly Summarizer[],
): { readonly chain: readonly Summarizer[]; readonly notes: readonly Note[] } {
  const { total } = plan.tokens
  if (plan.budget.readRatio >= 1 || chain.every(({ estimate }) => estimate !== undefined))
    return { chain, notes: [] }
  const worth = chain.filter((each) => each.estimate === undefined || !exceedsSource(plan, each))
  const [first] = chain
  if (first === undefined || worth[0] === first || total === 0) return { chain: worth, notes: [] }
  const message = `the session has ${total} tokens, fewer than a request to ${first.name} takes: ${worth[0]?.name} summarized it; maxReadRatio 1 asks ${first.name} in any case`
  return { chain: worth, notes: [{ code: 'model-not-asked', message }] }
}
