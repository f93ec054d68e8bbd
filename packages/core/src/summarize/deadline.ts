import { SummarizerError } from './summarizer-error.ts'

/** Maximum delay of a timer in Node; above it a timer fires at once. */
const maxTimerMs = 2 ** 31 - 1

/** The time limit of all calls of one run together. */
export interface Deadline {
  /** Aborts when the time is over, with a {@link SummarizerError} `timeout` as reason. */
  readonly signal: AbortSignal
  /** Stops the clock. */
  close(): void
}

/** Starts the clock. `Infinity` means no limit. */
export function startDeadline(timeoutMs: number): Deadline {
  const control = new AbortController()
  const end = () =>
    control.abort(
      new SummarizerError(`the calls took longer than timeoutMs allows (${timeoutMs} ms)`, {
        reason: 'timeout',
        retryable: true,
      }),
    )
  const timer = timeoutMs > maxTimerMs ? undefined : setTimeout(end, timeoutMs)
  return { signal: control.signal, close: () => clearTimeout(timer) }
}
