import { ModelError, type ModelErrorOptions } from './model.ts'
import type { CallWatch } from './watch-call.ts'

type KnownCall = Omit<ModelErrorOptions, 'reason' | 'retryable' | 'retryLimit'>

/** The error of a call that took all its time: it was billed, and would take as long again. */
export function outOfTime(timeoutMs: number, known: KnownCall = {}): ModelError {
  return new ModelError(`the call took longer than timeoutMs allows (${timeoutMs} ms)`, {
    reason: 'timeout',
    retryable: true,
    retryLimit: 0,
    ...known,
  })
}

/** The error of a call to a vendor that its watch ended; undefined if the watch did not end it. */
export function vendorTimeout(
  vendor: string,
  watch: Pick<CallWatch, 'ended'>,
  answering: boolean,
  known: KnownCall,
): ModelError | undefined {
  const ended = watch.ended()
  if (ended === undefined) return undefined
  if (ended === 'idle' && answering)
    return new ModelError(`${vendor}'s answer stopped coming (idleTimeoutMs sets how long to wait)`, {
      reason: 'stalled',
      retryable: true,
      ...known,
    })
  return new ModelError(
    `${vendor} gave no answer in time (idleTimeoutMs and timeoutMs set how long to wait)`,
    {
      reason: 'timeout',
      retryable: true,
      // It was billed, and would take as long again.
      ...(ended === 'total' ? { retryLimit: 0 } : {}),
      ...known,
    },
  )
}
