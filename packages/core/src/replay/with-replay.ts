import type { AbortableOptions } from '../session/abortable-options.ts'
import { withinGrace } from '../session/within-grace.ts'
import type { TaskEvent } from './task-event.ts'

/**
 * Yields the replayed events, each once and with `replayed: true`, then the live ones with other ids and `replayed:
 * false`. The live iterator ends with the consumer, or at once if `signal` aborts, whose reason is thrown. An error of
 * the live iterator is thrown after the replayed events.
 */
export async function* withReplay(
  replayed: Iterable<TaskEvent> | AsyncIterable<TaskEvent>,
  live: AsyncIterable<TaskEvent>,
  { signal }: AbortableOptions = {},
): AsyncGenerator<TaskEvent, void, undefined> {
  const seen = new Set<string>()
  const iterator = live[Symbol.asyncIterator]()
  // `return()` is called only while no `next()` is pending, because a generator delays it until that ends, and not
  // after the end.
  let resting = true
  try {
    for await (const event of replayed) {
      signal?.throwIfAborted()
      if (seen.has(event.id)) continue
      seen.add(event.id)
      yield event.replayed === true ? event : { ...event, replayed: true }
    }
    for (;;) {
      signal?.throwIfAborted()
      resting = false
      const next = await withinGrace(iterator.next(), signal, 0)
      if (next.done === true) return
      resting = true
      if (!seen.has(next.value.id)) yield { replayed: false, ...next.value }
    }
  } finally {
    if (resting) await iterator.return?.()
    else if (signal?.aborted === true) endQuietly(iterator)
  }
}

function endQuietly(iterator: AsyncIterator<TaskEvent>): void {
  // The consumer already has the reason of the abort, so a later error of the live stream is ignored.
  iterator.return?.().catch(() => {})
}
