import { sleep } from '../../provider/abortable.ts'
import { ModelError } from '../../provider/model.ts'
import type { BatchReport } from '../batch-event.ts'

export interface BatchRetries {
  readonly signal: AbortSignal
  /** First pause; each further one is twice as long. */
  readonly pauseMs: number
  readonly tries: number
  readonly report?: BatchReport | undefined
}

const maxPause = 60_000

// Not the retries of `callModel`: a batch that was sent is done whatever happens here, so nothing is billed again, and
// waiting a minute for it costs nothing.
/** Retries a call that changes nothing at the vendor, as long as it fails in a way that may pass. */
export async function withRetries<T>(call: () => Promise<T>, options: BatchRetries): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call()
    } catch (error) {
      options.signal.throwIfAborted()
      if (!(error instanceof ModelError && error.retryable) || attempt >= options.tries) throw error
      await pause(error, attempt, options)
    }
  }
}

/** Waits before try `attempt + 1`, as long as the vendor asks for, up to a minute. */
export async function pause(error: ModelError, attempt: number, options: BatchRetries): Promise<void> {
  const wished = Math.max(error.retryAfterMs ?? 0, options.pauseMs * 2 ** (attempt - 1))
  const waitMs = Math.min(wished, maxPause)
  options.report?.({ step: 'retry', reason: error.message, waitMs })
  await sleep(waitMs, options.signal)
}
