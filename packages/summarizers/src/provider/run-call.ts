import { callError } from './call-error.ts'
import type { FailedCall } from './failures.ts'
import { type ModelControl, ModelError, type ModelErrorOptions, type ModelReply } from './model.ts'
import { type CallWatch, watchCall } from './watch-call.ts'

/** What has arrived of an answer, no matter when it stops. */
export interface Answer {
  /** Whether it is complete, though more may be reported about it. */
  whole(): boolean
  /** What is known of the call. */
  facts(): FailedCall
  /** Throws ModelError if what arrived is not a reply. */
  reply(): ModelReply
}

export interface CallLimits {
  readonly idleMs: number
  readonly totalMs: number
}

/**
 * Runs one call of a vendor within its limits of time: `send` adds what arrives to the answer. Throws the reason of the
 * signal, or ModelError with what is known of the cost if no complete answer arrived.
 */
export async function runCall(
  { signal }: ModelControl,
  limits: CallLimits,
  answer: Answer,
  send: (watch: CallWatch) => Promise<void>,
): Promise<ModelReply> {
  signal.throwIfAborted()
  const watch = watchCall(signal, limits)
  let failure: ModelError | undefined
  try {
    await watch.race(() => send(watch))
  } catch (error) {
    if (!signal.aborted) failure = callError(error, answer.facts())
  } finally {
    watch.close()
  }
  signal.throwIfAborted()
  // What follows the end of an answer does not matter. Some clients just end a stream that is aborted.
  const late = timeoutError(watch, limits, answer.facts())
  if (!answer.whole() && (late ?? failure) !== undefined) throw late ?? failure
  return answer.reply()
}

function timeoutError(
  watch: CallWatch,
  { totalMs }: CallLimits,
  { vendor = 'the server', answering = false, usage, model, requestId }: FailedCall,
): ModelError | undefined {
  const ended = watch.ended()
  const facts = { usage, model, requestId }
  if (ended === undefined) return undefined
  if (ended === 'total') return outOfTime(totalMs, facts)
  return new ModelError(
    answering
      ? `the answer of ${vendor} stopped coming (idleTimeoutMs sets how long to wait)`
      : `${vendor} gave no answer in time (idleTimeoutMs and timeoutMs set how long to wait)`,
    { reason: answering ? 'stalled' : 'timeout', retryable: true, ...facts },
  )
}

/** The error of a call that took all its time: it was billed, and would take as long again. */
export function outOfTime(
  timeoutMs: number,
  facts: Pick<ModelErrorOptions, 'usage' | 'model' | 'requestId'> = {},
): ModelError {
  return new ModelError(`the call took longer than timeoutMs allows (${timeoutMs} ms)`, {
    reason: 'timeout',
    retryable: true,
    retryLimit: 0,
    ...facts,
  })
}
