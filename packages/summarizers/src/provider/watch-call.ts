/** Rejects with the reason of the signal as soon as it aborts, even if the work ignores it. */
export async function abortable<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted()
  let stop: (() => void) | undefined
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
  })
  try {
    return await Promise.race([work(), aborted])
  } finally {
    if (stop !== undefined) signal.removeEventListener('abort', stop)
  }
}

/** Returns `value` if it is a waiting time. Throws TypeError otherwise. */
export function waitingTime(name: string, value: number): number {
  if (typeof value === 'number' && value > 0) return value
  throw new TypeError(`${name}: expected milliseconds above 0 (Infinity for no limit), got ${String(value)}`)
}

/** Milliseconds for a call in all: a model that thinks and writes tens of thousands of tokens takes minutes. */
export const defaultCallMs = 1_800_000

/** The same for your own server, which may read a prompt at some ten tokens a second. */
export const defaultLocalCallMs = 3_600_000

/** The clock of one call. */
export interface CallWatch {
  /** Aborts when the caller does, and when the call takes too long. */
  readonly signal: AbortSignal
  /** Something arrived: restarts the idle time. */
  heard(): void
  /** Why the watch itself ended the call: nothing arrived for `idleMs`, or `totalMs` is over. */
  ended(): 'idle' | 'total' | undefined
  /**
   * Runs `work`, but rejects as soon as `signal` aborts: clients do not always obey it, openai 6 not while it waits.
   */
  race<T>(work: () => Promise<T>): Promise<T>
  /** Releases timers and the caller's signal. */
  close(): void
}

export interface CallWatchOptions {
  readonly idleMs: number
  /** @default Infinity */
  readonly totalMs?: number | undefined
}

/** Longest time that a timer of Node can wait; a longer one fires at once. */
const maxTimerMs = 2 ** 31 - 1

/** After a pause of the whole process its timers run first: what came meanwhile is read before the call is given up. */
const graceMs = 50

/** Watches one call. `Infinity` means no limit. */
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
  // Not AbortSignal.any: one signal often serves a batch of thousands of calls, and keeps everything that depends on
  // it.
  const onAbort = (): void => control.abort(caller.reason)
  if (caller.aborted) onAbort()
  else caller.addEventListener('abort', onAbort, { once: true })

  let grace: NodeJS.Timeout | undefined
  const idle = setTimeout(
    () => {
      grace = setTimeout(end, graceMs, 'idle')
    },
    Math.min(idleMs, maxTimerMs),
  )
  const total = setTimeout(end, Math.min(totalMs, maxTimerMs), 'total')
  let closed = false
  return {
    signal: control.signal,
    heard() {
      // A client that ignores the signal may go on reading, so no timer may stay alive because of it.
      if (closed) return
      clearTimeout(grace)
      idle.refresh()
    },
    ended: () => ended,
    race: (work) => abortable(work, control.signal),
    close() {
      closed = true
      clearTimeout(idle)
      clearTimeout(grace)
      clearTimeout(total)
      caller.removeEventListener('abort', onAbort)
    },
  }
}
