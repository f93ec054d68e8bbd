import { callError } from './call-error.ts'
import type { FailedCall } from './failures.ts'
import { type ModelControl, ModelError, type ModelErrorOptions, type ModelReply } from './model.ts'
import { type CallWatch, waitingTime, watchCall } from './watch-call.ts'

/** What has arrived of an answer, no matter when it stops. */
export interface Answer<Event> {
  /** Takes the head of the answer. */
  begin(requestId?: string | null, contentType?: string | null): void
  /** Takes an event; true if nothing more is needed. Throws ModelError if the event reports a failure. */
  add(event: Event): boolean
  /** Whether it is complete, though more may be reported about it. */
  whole(): boolean
  /** What is known of the call. */
  facts(): FailedCall
  /** Throws ModelError if what arrived is not a reply. */
  reply(): ModelReply
}

interface CallLimits {
  readonly idleMs: number
  readonly totalMs: number
}

/** The limits of a caller, or those of the vendor. Throws TypeError if they are no times. */
export function callLimits(
  options: { readonly idleTimeoutMs?: number | undefined; readonly timeoutMs?: number | undefined },
  idleMs: number,
  totalMs: number,
): CallLimits {
  return {
    idleMs: waitingTime('idleTimeoutMs', options.idleTimeoutMs ?? idleMs),
    totalMs: waitingTime('timeoutMs', options.timeoutMs ?? totalMs),
  }
}

/** A call under way, with the beginning of its answer and what follows. */
export interface RunningCall<Event> extends Pick<CallWatch, 'signal' | 'heard'> {
  readonly begin: Answer<Event>['begin']
  receive(events: AsyncIterable<Event>): Promise<void>
}

/**
 * Runs one call of a vendor within its limits of time. Throws the reason of the signal, or ModelError with what is known
 * of the cost if no complete answer arrived.
 */
export async function runCall<Event>(
  { signal, onBegin }: ModelControl,
  limits: CallLimits,
  answer: Answer<Event>,
  send: (call: RunningCall<Event>) => Promise<void>,
): Promise<ModelReply> {
  signal.throwIfAborted()
  const watch = watchCall(signal, limits)
  let failure: ModelError | undefined
  const call: RunningCall<Event> = {
    ...watch,
    begin(requestId, contentType) {
      watch.heard()
      answer.begin(requestId, contentType)
      onBegin?.()
    },
    async receive(events) {
      for await (const event of events) {
        watch.heard()
        if (answer.add(event)) return
      }
    },
  }
  try {
    await watch.race(() => send(call))
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
