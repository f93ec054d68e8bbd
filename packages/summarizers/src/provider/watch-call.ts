import { abortable } from './abortable.ts'

/** The clock of one call. */
export interface CallWatch {
  /** Aborts when the caller does, and when the call takes too long. */
  readonly signal: AbortSignal
  /** Something was heard: the wait begins anew. */
  heard(): void
  /** Why the watch itself ended the call: nothing heard for `idleMs`, or `totalMs` over. */
  ended(): 'idle' | 'total' | undefined
  /** As `work`, but rejects as soon as `signal` aborts: clients do not always obey it, openai 6 not while it waits. */
  race<T>(work: () => Promise<T>): Promise<T>
  /** Lets go of timers and of the caller's signal. */
  close(): void
}

export interface CallWatchOptions {
  readonly idleMs: number
  /** @default Infinity */
  readonly totalMs?: number
}

/** Longest time that a timer of Node can wait; above it fires at once. */
const maxTimerMs = 2 ** 31 - 1

/** Watches one call. `Infinity` is no limit. */
export function watchCall(
  caller: AbortSignal,
  { idleMs, totalMs = Number.POSITIVE_INFINITY }: CallWatchOptions,
): CallWatch {
  const control = new AbortController()
  let ended: 'idle' | 'total' | undefined
  const end = (why: 'idle' | 'total'): void => {
    ended ??= why
    control.abort(new Error(`the call was ended: ${why} time is over`))
  }
  // Not AbortSignal.any: one signal often lives for a batch of thousands of calls, and keeps what depends on it.
  const onAbort = (): void => control.abort(caller.reason)
  if (caller.aborted) onAbort()
  else caller.addEventListener('abort', onAbort, { once: true })

  const idle = setTimeout(end, Math.min(idleMs, maxTimerMs), 'idle')
  const total = setTimeout(end, Math.min(totalMs, maxTimerMs), 'total')
  let closed = false
  return {
    signal: control.signal,
    heard() {
      // A client that does not obey the signal may go on reading: no timer may live because of it.
      if (!closed) idle.refresh()
    },
    ended: () => ended,
    race: (work) => abortable(work, control.signal),
    close() {
      closed = true
      clearTimeout(idle)
      clearTimeout(total)
      caller.removeEventListener('abort', onAbort)
    },
  }
}
