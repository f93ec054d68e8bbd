import { type SessionSummary, sessionSummarySchema } from '../bundle/session-summary.ts'
import { messageOf, TenfoldError } from '../errors.ts'
import { known } from '../session/known.ts'
import { withinGrace } from '../session/within-grace.ts'
import type { Spending } from './cost/spending.ts'
import type { ItemClaim, SettledClaim } from './shown-items.ts'
import type { Summarizer, SummarizerCall, SummaryRequest } from './summarizer.ts'
import { SummarizerError } from './summarizer-error.ts'

/** All calls of a run, in an order that does not depend on which ended first. */
export interface CallLedger {
  /** Opens an entry for a request about the items from `position` on. */
  open(position: number): {
    /** Adds a call when it ends. */
    record(call: SummarizerCall): void
    /** Adds the calls that the summarizer returns at the end, unless they were reported before. */
    close(calls: readonly SummarizerCall[]): void
  }
  /** Returns the calls by position; for the same position, in the order of requests. */
  calls(): SummarizerCall[]
}

/** Creates an empty ledger. `onCall` receives every call once, as soon as it is known. */
export function callLedger(onCall: (call: SummarizerCall) => void): CallLedger {
  const entries: { readonly position: number; readonly calls: SummarizerCall[] }[] = []
  return {
    open(position) {
      const calls: SummarizerCall[] = []
      entries.push({ position, calls })
      const record = (call: SummarizerCall) => {
        calls.push(call)
        onCall(call)
      }
      return { record, close: (named) => named.slice(calls.length).forEach(record) }
    },
    calls: () => entries.toSorted((a, b) => a.position - b.position).flatMap(({ calls }) => calls),
  }
}

/** State shared by all requests of a run. */
export interface Asking {
  /** The caller's signal, or the run's own if nothing more may be paid for. */
  readonly signal: AbortSignal
  /** Aborts when the time for the calls of the run is over. */
  readonly deadline: AbortSignal
  readonly ledger: CallLedger
  readonly spending: Spending
}

export interface AskedSummary {
  readonly summary: SessionSummary
  readonly promptVersion?: string
  readonly settled?: readonly ItemClaim[]
}

/**
 * Makes one request about items from `position` on. Throws {@link SummarizerError}, also for an invalid summary and for
 * any other error of the summarizer, or the reason of an aborted signal. In each case, all calls are in the ledger.
 */
export async function askSummarizer(
  summarizer: Summarizer,
  request: SummaryRequest,
  position: number,
  { signal, deadline, ledger, spending }: Asking,
): Promise<AskedSummary> {
  signal.throwIfAborted()
  // A summarizer without a model does the parts that others had no time for.
  const timed = summarizer.estimate !== undefined
  if (timed && deadline.aborted) throw outOfTime(summarizer, deadline)
  const entry = ledger.open(position)
  // Each request has its own signal, so that listeners of a summarizer end with the request.
  const own = AbortSignal.any(timed ? [signal, deadline] : [signal])
  const control = { signal: own, admit: spending.admit, onCall: entry.record }
  try {
    const result = await withinGrace(summarizer.summarize(request, control), own)
    const { summary, calls, promptVersion, settled = [] } = result
    entry.close(calls)
    signal.throwIfAborted()
    return {
      summary: checked(summary, summarizer),
      ...known({ promptVersion }),
      ...(settled.length > 0 && { settled: claimsAbout(settled, request) }),
    }
  } catch (error) {
    if (isSummarizerError(error)) entry.close(error.calls)
    signal.throwIfAborted()
    if (timed && deadline.aborted) throw outOfTime(summarizer, deadline)
    if (isSummarizerError(error)) throw error
    throw new SummarizerError(`${summarizer.name} failed: ${messageOf(error)}`, { cause: error })
  }
}

/** Adds the shown items to the claims, and removes repeated claims. */
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
  const { success, data, error: cause } = sessionSummarySchema.safeParse(summary)
  if (success) return data
  const issue = cause.issues[0]
  const message = `${name} returned no valid summary: ${issue?.path.join('.')}: ${issue?.message}`
  throw new SummarizerError(message, { reason: 'invalid-output', cause })
}

/** Maximum delay of a timer in Node; a longer one fires at once. */
const maxTimerMs = 2 ** 31 - 1

/** Aborts `signal` after `timeoutMs`, unless `close` is called before. `Infinity` means no limit. */
export function startDeadline(timeoutMs: number): { readonly signal: AbortSignal; close(): void } {
  const control = new AbortController()
  const end = () => control.abort(new Error(`the calls took longer than timeoutMs allows (${timeoutMs} ms)`))
  const timer = timeoutMs > maxTimerMs ? undefined : setTimeout(end, timeoutMs)
  return { signal: control.signal, close: () => clearTimeout(timer) }
}
