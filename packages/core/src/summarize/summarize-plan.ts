import { type Judgement, judgementSchema } from '../bundle/judgement.ts'
import type { BundlePlan } from '../plan/plan-bundle.ts'
import type { Note } from '../session/note.ts'
import type { Summarizer, SummarizerCall } from './summarizer.ts'
import { SummarizerError } from './summarizer-error.ts'

/** What the summarizer said, checked, with what it cost. */
export interface SummarizedPlan {
  readonly judgement: Judgement
  readonly summarizer: string
  readonly model?: string
  readonly promptVersion?: string
  readonly calls: readonly SummarizerCall[]
  /** Why another summarizer than the first one wrote it. */
  readonly fallback?: string
  readonly notes: readonly Note[]
}

export interface SummarizeOptions {
  readonly signal?: AbortSignal
}

/**
 * Asks the summarizer for the judgement of a planned session. Throws SummarizerError, with the calls made, when it fails
 * or returns what is no judgement.
 */
export async function summarizePlan(
  plan: BundlePlan,
  summarizer: Summarizer,
  options: SummarizeOptions = {},
): Promise<SummarizedPlan> {
  const signal = options.signal ?? new AbortController().signal
  signal.throwIfAborted()
  const maxTokens = Math.floor(Math.min(plan.budget.maxTokens, plan.budget.sourceTokens) * judgementShare)
  const { kind, facts, reading } = plan
  const result = await summarizer.summarize({ kind, facts, items: reading, maxTokens }, { signal })
  const checked = judgementSchema.safeParse(result.judgement)
  if (!checked.success) {
    const issue = checked.error.issues[0]
    throw new SummarizerError(
      `${summarizer.name} returned no valid judgement: ${issue?.path.join('.')}: ${issue?.message}`,
      {
        calls: result.calls,
        cause: checked.error,
      },
    )
  }
  return {
    judgement: checked.data,
    summarizer: summarizer.name,
    ...(summarizer.model === undefined ? {} : { model: summarizer.model }),
    ...(result.promptVersion === undefined ? {} : { promptVersion: result.promptVersion }),
    calls: result.calls,
    notes: [],
  }
}

/** Share of the bundle that judgement may take; facts and trail take the rest. */
const judgementShare = 0.3
