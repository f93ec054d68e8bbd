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

/** How long aborted work may take to end, so that it can report its last calls. */
const graceMs = 500

/**
 * Returns the result of the work. Once the signal aborts, the work has a moment to end; then the reason of the signal
 * is thrown.
 */
export async function withinGrace<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return await new Promise<T>((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined
    const onAbort = () => {
      timer = setTimeout(() => reject(signal.reason), graceMs)
    }
    signal.addEventListener('abort', onAbort, { once: true })
    work.then(resolve, reject).finally(() => {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
    })
  })
}
