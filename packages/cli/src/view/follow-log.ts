import { setTimeout as wait } from 'node:timers/promises'
import type { PageEvent, PageSession, PageUpdate } from '@tenfold/view'

const lookEvery = 400
/** Reading a large log takes time: leave at least this many times as long to other work between two readings. */
const rest = 4

export interface FollowOptions {
  state(): Promise<string>
  read(): Promise<{ readonly session: PageSession; readonly events: readonly PageEvent[] }>
  onUpdate(now: Followed, update: PageUpdate): void
  /** Called when a reading failed. The next change may fix it: a log is written while it is read. */
  onFault(error: unknown): void
  readonly signal: AbortSignal
}

/** The current content. The first revision is the time of the start, which identifies pages of an earlier server. */
export interface Followed {
  readonly session: PageSession
  readonly events: readonly PageEvent[]
  readonly revision: number
}

/**
 * Reads a log again whenever its files change, until the signal aborts, and reports the differences. A log is read from
 * its beginning each time, because a later line can change what an earlier one means.
 */
export async function followLog(first: Followed, options: FollowOptions): Promise<void> {
  const { read, onUpdate, onFault, signal } = options
  let texts = first.events.map((event) => JSON.stringify(event))
  let head = JSON.stringify(first.session)
  let { revision } = first
  let seen = ''
  while (!signal.aborted) {
    const started = performance.now()
    try {
      const state = await options.state()
      if (state !== seen) {
        const { session, events } = await read()
        seen = state
        const known = texts
        texts = events.map((event) => JSON.stringify(event))
        const changed = events.flatMap((event, index): [number, PageEvent][] =>
          texts[index] === known[index] ? [] : [[index, event]],
        )
        const nextHead = JSON.stringify(session)
        if (changed.length > 0 || texts.length !== known.length || nextHead !== head) {
          head = nextHead
          revision += 1
          onUpdate({ session, events, revision }, { revision, session, events: changed, count: texts.length })
        }
      }
    } catch (error) {
      if (signal.aborted) return
      onFault(error)
    }
    const took = performance.now() - started
    // The wait rejects only when the signal ends it, which the loop checks.
    await wait(Math.max(lookEvery, took * rest), undefined, { signal }).catch(() => undefined)
  }
}
