import { type SessionSummary, sessionSummarySchema } from '../bundle/session-summary.ts'
import { messageOf, TenfoldError } from '../errors.ts'
import { known } from '../session/known.ts'
import type { CallLedger } from './cost/call-ledger.ts'
import type { Spending } from './cost/spending.ts'
import { withinGrace } from './deadline.ts'
import type { ItemClaim, SettledClaim } from './shown-items.ts'
import type { Summarizer, SummaryRequest } from './summarizer.ts'
import { SummarizerError } from './summarizer-error.ts'

/** State shared by all requests of a run. */
export interface Asking {
  /** The caller's, or the run's own if nothing more may be paid for. */
  readonly signal: AbortSignal
  /** Aborts when the calls of the run have used up their time. */
  readonly deadline: AbortSignal
  readonly ledger: CallLedger
  readonly spending: Spending
}

/** A checked answer. */
export interface AskedSummary {
  readonly summary: SessionSummary
  readonly promptVersion?: string
  readonly settled?: readonly ItemClaim[]
}

/**
 * Makes one request about items from `position` on. Throws {@link SummarizerError}, also for an invalid summary and for
 * any other error of the summarizer, or the reason of the signal if that aborted. All calls are in the ledger then.
 */
export async function askSummarizer(
  summarizer: Summarizer,
  request: SummaryRequest,
  position: number,
  { signal, deadline, ledger, spending }: Asking,
): Promise<AskedSummary> {
  signal.throwIfAborted()
  // A summarizer that calls no model finishes what others had no time for.
  const timed = summarizer.estimate !== undefined
  if (timed && deadline.aborted) throw outOfTime(summarizer, deadline)
  const entry = ledger.open(position)
  // Each request has its own signal: listeners that a summarizer adds go with the request.
  const own = AbortSignal.any(timed ? [signal, deadline] : [signal])
  const control = { signal: own, admit: spending.admit, onCall: entry.record }
  try {
    const {
      summary,
      calls,
      promptVersion,
      settled = [],
    } = await withinGrace(summarizer.summarize(request, control), own)
    entry.close(calls)
    signal.throwIfAborted()
    return {
      summary: checked(summary, summarizer),
      ...(promptVersion === undefined ? {} : { promptVersion }),
      ...(settled.length === 0 ? {} : { settled: claimsAbout(settled, request) }),
    }
  } catch (error) {
    if (isSummarizerError(error)) entry.close(error.calls)
    signal.throwIfAborted()
    if (timed && deadline.aborted) throw outOfTime(summarizer, deadline)
    if (isSummarizerError(error)) throw error
    const message = messageOf(error)
    throw new SummarizerError(`${summarizer.name} failed: ${message}`, { cause: error })
  }
}

/** The claims with the items that the request showed, each claim once. */
function claimsAbout(claims: readonly SettledClaim[], { carried = [] }: SummaryRequest): ItemClaim[] {
  const shown = new Map(carried.map((item) => [item.id, item]))
  const once = new Map(claims.map(({ id, event }) => [`${id} ${event}`, { id, event }]))
  return [...once.values()].map((claim) => ({ ...claim, ...known({ item: shown.get(claim.id) }) }))
}

function outOfTime({ name }: Summarizer, { reason }: AbortSignal): SummarizerError {
  return new SummarizerError(`${name}: ${messageOf(reason)}`, { reason: 'timeout', retryable: true })
}

/** Recognizes errors by brand and code, so that it works across copies of the package. */
export function isSummarizerError(error: unknown): error is SummarizerError {
  return TenfoldError.isInstance(error) && error.code === 'summarizer-failed'
}

function checked(summary: SessionSummary, { name }: Summarizer): SessionSummary {
  const parsed = sessionSummarySchema.safeParse(summary)
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  throw new SummarizerError(
    `${name} returned no valid summary: ${issue?.path.join('.')}: ${issue?.message}`,
    {
      reason: 'invalid-output',
      cause: parsed.error,
    },
  )
}
