import PQueue from 'p-queue'
import type { BundleCost } from '../bundle/compression-schema.ts'
import type { SessionSummary } from '../bundle/session-summary.ts'
import {
  aFunction,
  anAbortSignal,
  type Check,
  type Checks,
  checkOptions,
  isObject,
  listOf,
  positive,
  wholeNumber,
  wrongType,
} from '../options/check.ts'
import { summaryBudget } from '../plan/budget.ts'
import type { BundlePlan } from '../plan/plan-bundle.ts'
import { condenseTranscript } from '../plan/transcript/condense-transcript.ts'
import type { TranscriptItem } from '../plan/transcript-item.ts'
import type { AbortableOptions } from '../session/abortable-options.ts'
import { known } from '../session/known.ts'
import type { Note } from '../session/note.ts'
import type { Report } from '../session/report-to-log.ts'
import { addUsage, type TokenUsage } from '../session/usage.ts'
import { withinGrace } from '../session/within-grace.ts'
import type { TokenCounter } from '../tokens/token-counter.ts'
import { callLedger, isSummarizerError, startDeadline } from './ask-summarizer.ts'
import { authorOf, failureNotes, fallbackLine } from './authors.ts'
import { chainFor, summarizers as someSummarizers } from './chain.ts'
import { defaultPrices } from './cost/prices.ts'
import { costOf, type SpendingLimits, spendingLimits, trackSpending } from './cost/spending.ts'
import { mergePieces } from './parts/merge-summaries.ts'
import { type Piece, summarizeTranscript, type TranscriptWork } from './parts/summarize-transcript.ts'
import type { ItemClaim, ShownItem } from './shown-items.ts'
import type { Summarizer, SummarizerCall } from './summarizer.ts'
import { SummarizerError } from './summarizer-error.ts'

/** The valid result of the summarizers, with its cost. */
export interface SummarizedPlan {
  /** The summary before it is checked against the log. */
  readonly summary: SessionSummary
  /** The summarizer of the largest part. */
  readonly summarizer: string
  /** Absent if no model was called. */
  readonly model?: string
  /** Version of the prompt, if there is one. */
  readonly promptVersion?: string
  /** In the order of the transcript. */
  readonly calls: readonly SummarizerCall[]
  /** Sum over the calls; absent if there are none. */
  readonly usage?: TokenUsage
  /** Absent if there are no calls, or one has no price. */
  readonly cost?: BundleCost
  /** The parts that a summarizer other than the first wrote, and why. */
  readonly fallback?: string
  /** Failures and other remarks of the run. */
  readonly notes: readonly Note[]
  /** Claims about carried items, which are checked when the bundle is assembled. */
  readonly settled?: readonly ItemClaim[]
  /** Tokens of the session that were read. @default those of the plan */
  readonly readTokens?: number
}

/** Options of {@link summarizePlan}. */
export interface SummarizeOptions extends AbortableOptions {
  /** Number of requests at a time. @default 4 */
  readonly concurrency?: number | undefined
  /** @default none */
  readonly limits?: SpendingLimits | undefined
  /**
   * Milliseconds for all model calls together, including waits and retries. The rest goes to a summarizer of the chain
   * without a model.
   * @default Infinity
   */
  readonly timeoutMs?: number | undefined
  /** An earlier summary of the same session, and the new transcript items; only these are read. */
  readonly earlier?:
    | { readonly summary: SessionSummary; readonly items: readonly TranscriptItem[] }
    | undefined
  /** Items from earlier sessions, most binding first. The summarizer may claim that some are settled. */
  readonly carried?: readonly ShownItem[] | undefined
  /** Receives every call as it ends, including those of a run that fails. */
  readonly onCall?: ((call: SummarizerCall) => void) | undefined
  /** Called with each step. */
  readonly report?: Report | undefined
}

const earlierWork: Check = (name, value) => {
  if (!isObject(value) || !('summary' in value) || !('items' in value) || !Array.isArray(value.items))
    throw wrongType(name, 'an object with summary and items', value)
}

const shownItem: Check = (name, value) => {
  const { id, as, text }: Readonly<Record<string, unknown>> = isObject(value) ? { ...value } : {}
  if ([id, as, text].some((field) => typeof field !== 'string'))
    throw wrongType(name, 'an object with id, as and text', value)
}

export const summarizeChecks: Checks<SummarizeOptions & { readonly summarizer: unknown }> = {
  summarizer: someSummarizers,
  concurrency: wholeNumber(1),
  limits: spendingLimits,
  timeoutMs: positive,
  earlier: earlierWork,
  carried: listOf(shownItem),
  onCall: aFunction,
  report: aFunction,
  signal: anAbortSignal,
}

/**
 * Asks a summarizer, or a chain of them, for the summary of a planned session: in one request if it fits, otherwise
 * part by part. A part that one summarizer fails on goes to the next. Throws {@link SummarizerError} with all calls if
 * the last one fails, TypeError or RangeError for invalid options, and the reason of an aborted signal.
 */
export async function summarizePlan(
  plan: BundlePlan,
  summarizers: Summarizer | readonly Summarizer[],
  options: SummarizeOptions = {},
): Promise<SummarizedPlan> {
  summarizeChecks.summarizer('summarizer', summarizers)
  checkOptions(options, summarizeChecks)
  const given = 'summarize' in summarizers ? [summarizers] : summarizers
  const {
    signal = new AbortController().signal,
    concurrency = 4,
    limits = {},
    earlier,
    timeoutMs = Infinity,
  } = options
  const { chain, notes: skipped } =
    earlier === undefined ? chainFor(plan, given) : { chain: given, notes: [] }
  const [first] = chain
  if (first === undefined) throw new RangeError('expected at least one summarizer')
  signal.throwIfAborted()
  if (earlier !== undefined && earlier.items.length === 0)
    return { summary: earlier.summary, summarizer: first.name, calls: [], notes: [], readTokens: 0 }

  const items = earlier?.items ?? plan.transcript
  const counter = rememberCounts(plan.counter)
  const condensed = new Map<Summarizer, readonly TranscriptItem[]>()
  const condensedFor = (summarizer: Summarizer) => {
    const promptTokens = (...of: Parameters<NonNullable<Summarizer['promptTokens']>>) =>
      summarizer.promptTokens?.(...of) ?? 0
    const options = { promptTokens, updates: earlier !== undefined }
    const known = condensed.get(summarizer) ?? condenseTranscript(plan, items, options)
    condensed.set(summarizer, known)
    return known
  }
  const prices = limits.prices ?? defaultPrices
  const spending = trackSpending(limits)
  const stopped = new AbortController()
  const deadline = startDeadline(timeoutMs)
  const progress = { summarizer: first.name, done: 0, of: 1 }
  const ledger = callLedger((call) => {
    spending.record(call)
    options.onCall?.(call)
    reportProgress()
  })
  const spent = () => {
    const calls = ledger.calls()
    const usage = calls.length === 0 ? undefined : calls.map((call) => call.usage).reduce(addUsage, {})
    return { calls, ...known({ usage, cost: costOf(calls, prices) }) }
  }
  const tokens = items === plan.transcript ? plan.readTokens : textTokens(items, counter)
  const reportProgress = () => {
    const { calls: _, ...sums } = spent()
    const { summarizer, done, of } = progress
    options.report?.({ step: 'summarize', summarizer, tokens, part: { done, of }, ...sums })
  }
  const work: TranscriptWork = {
    plan,
    items,
    itemsFor: (summarizer) => (summarizer.readsWhole === true ? items : condensedFor(summarizer)),
    ...(earlier === undefined ? {} : { earlier: earlier.summary }),
    carried: options.carried ?? [],
    chain,
    queue: new PQueue({ concurrency }),
    counter,
    maxTokens: summaryBudget(plan.budget),
    limited: limits.maxCost !== undefined || limits.maxInputTokens !== undefined,
    signal: AbortSignal.any([signal, stopped.signal]),
    deadline: deadline.signal,
    ledger,
    spending,
    stop: (error) => stopped.abort(error),
    onProgress: (state) => {
      Object.assign(progress, state)
      reportProgress()
    },
  }
  try {
    const { pieces, failures } = await withinGrace(summarizeTranscript(work), signal)
    const { summary, notes } = await withinGrace(mergePieces(pieces, failures, work), signal)
    const { calls, ...sums } = spent()
    return {
      summary,
      ...authorOf(pieces),
      calls,
      ...sums,
      ...known({ fallback: fallbackLine(items, failures, pieces) }),
      ...settledBy(pieces, work.carried),
      notes: [...skipped, ...failureNotes(failures), ...notes],
      readTokens: readBy(pieces, plan, tokens, counter),
    }
  } catch (error) {
    if (signal.aborted || !isSummarizerError(error)) throw error
    const { message, reason, retryable, cause } = error
    throw new SummarizerError(message, { reason, retryable, calls: ledger.calls(), cause })
  } finally {
    deadline.close()
  }
}

/** Caches counts, because halves and later summarizers get the same items. */
function rememberCounts(counter: TokenCounter): TokenCounter {
  const counts = new Map<string, number>()
  return {
    name: counter.name,
    count(text) {
      const known = counts.get(text) ?? counter.count(text)
      counts.set(text, known)
      return known
    },
  }
}

/** Returns the claims of all answers with complete items, which a request may have shown shortened. */
function settledBy(pieces: readonly Piece[], carried: readonly ShownItem[]): Pick<SummarizedPlan, 'settled'> {
  const whole = new Map(carried.map((item) => [item.id, item]))
  const settled = pieces
    .flatMap(({ answer }) => answer.settled ?? [])
    .map(({ id, event, item }) => ({ id, event, ...known({ item: item && whole.get(id) }) }))
  return settled.length === 0 ? {} : { settled }
}

/** Counts the tokens of the summarized texts, since items may have been shortened. */
function readBy(pieces: readonly Piece[], plan: BundlePlan, all: number, counter: TokenCounter): number {
  const [only] = pieces
  if (pieces.length === 1 && only?.part.items === plan.transcript) return all
  return textTokens(
    pieces.flatMap(({ part }) => part.items),
    counter,
  )
}

function textTokens(items: readonly TranscriptItem[], counter: TokenCounter): number {
  return items.reduce((sum, { text }) => sum + counter.count(text), 0)
}
