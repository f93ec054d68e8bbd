import { aFunction, aNumber, type Check, listOf, namedObject } from '../options/check.ts'
import type { BundlePlan } from '../plan/plan-bundle.ts'
import { exceedsSource } from '../plan/transcript/condense-transcript.ts'
import type { Note } from '../session/note.ts'
import type { Summarizer } from './summarizer.ts'

const summarizer: Check = (name, value) => {
  namedObject('a Summarizer', ['summarize'])(name, value)
  const { contextWindow, estimate, promptTokens } = value as Record<string, unknown>
  if (contextWindow !== undefined) aNumber(`${name}.contextWindow`, contextWindow)
  if (promptTokens !== undefined) aFunction(`${name}.promptTokens`, promptTokens)
  if (estimate !== undefined) aFunction(`${name}.estimate`, estimate)
}

/** A summarizer, or a chain of at least one. */
export const summarizers: Check = (name, value) => {
  if (!Array.isArray(value)) return summarizer(name, value)
  if (value.length === 0) throw new RangeError(`expected at least one summarizer in ${name}, got none`)
  listOf(summarizer)(name, value)
}

/** Rejects with the error of the last summarizer if none of the chain can work. */
export async function assertReady(chain: readonly Summarizer[]): Promise<void> {
  const faults: unknown[] = []
  for (const one of chain) {
    try {
      return await one.assertReady?.()
    } catch (fault) {
      faults.push(fault)
    }
  }
  throw faults.at(-1)
}

/**
 * Returns the summarizers to ask about a session. If one of the chain calls no model, those whose requests would take
 * more tokens than the session are left out, unless `maxReadRatio` is 1.
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
