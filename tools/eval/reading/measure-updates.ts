import type { BundlePlan, PlanOptions, PreparedLog } from '@tenfold/core'
import { condenseTranscript, eventIndex, prepareSession, summaryBudget } from '@tenfold/core/internal'
import { extractiveSummarizer } from '@tenfold/summarizers/extractive'
import { modelRequestFor } from '@tenfold/summarizers/model'
import { sized } from './sized.ts'

/** What a model reads if a log is summarized again after it grew. */
export interface UpdateResult {
  readonly name: string
  /** Source tokens of what is new. */
  readonly newTokens: number
  /** Instructions, facts, earlier summary and transcript, as a share of them. */
  readonly prompt: number
}

/** After which shares of the source tokens a session was summarized before. */
const splits = [0.5, 0.7, 0.9]

/** Measures the prompts about what came after a half, 70 % and 90 % of a session, beside a summary of what came before. */
export async function measureUpdates(
  { plan, session, facts }: Pick<PreparedLog, 'plan' | 'session' | 'facts'>,
  name: string,
  options: PlanOptions,
): Promise<UpdateResult[]> {
  const results: UpdateResult[] = []
  for (const share of splits) {
    const count = eventsUpTo(plan, share)
    const newTokens = plan.tokens.byEvent.slice(count).reduce((sum, tokens) => sum + tokens, 0)
    const fresh = plan.transcript.filter(({ event, until = event }) => eventIndex(until) >= count)
    if (fresh.length === 0 || newTokens === 0) continue
    const before = prepareSession({ ...session, events: session.events.slice(0, count) }, options)
    const { summary } = await extractiveSummarizer().summarize(
      {
        kind: plan.kind,
        facts: before.facts,
        items: before.plan.transcript,
        maxTokens: summaryBudget(before.plan.budget),
      },
      { signal: new AbortController().signal },
    )
    const request = {
      kind: plan.kind,
      facts,
      items: condenseTranscript(plan, fresh, { ...sized, updates: true }),
      sourceTokens: newTokens,
      maxTokens: summaryBudget(plan.budget),
      earlier: summary,
    }
    const { inputTokens } = modelRequestFor(request, {
      maxOutputTokens: 1,
      counter: plan.counter,
      tokenFactor: 1,
    })
    results.push({ name: `${name} after ${share * 100} %`, newTokens, prompt: inputTokens / newTokens })
  }
  return results
}

/** Number of the first events that hold a share of the source tokens. */
function eventsUpTo({ tokens }: BundlePlan, share: number): number {
  let sum = 0
  const at = tokens.byEvent.findIndex((each) => {
    sum += each
    return sum >= tokens.total * share
  })
  return at + 1
}
