import { SummarizerError } from './summarizer-error.ts'

/** Longest time that a timer of Node can wait; above it a timer fires at once. */
const maxTimerMs = 2 ** 31 - 1

/** The time that the calls of one run may take together. */
export interface Deadline {
  /** Aborts when the time is over, with a SummarizerError `timeout` as reason. */
  readonly signal: AbortSignal
  /** Stops the clock. */
  close(): void
}

/** Starts the clock. `Infinity` is no limit. */
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
