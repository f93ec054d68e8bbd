import type { AbortableOptions } from '../session/abortable-options.ts'
import { withinGrace } from '../session/within-grace.ts'
import type { TaskEvent } from './task-event.ts'

/**
 * Yields the replayed events, each once and marked, then the live ones whose ids were not among them, marked as not
 * replayed. The live iterator ends with the consumer, or at once if `signal` aborts, whose reason is thrown. Its own
 * error comes after the replayed events.
 */
export async function* withReplay(
  replayed: Iterable<TaskEvent> | AsyncIterable<TaskEvent>,
  live: AsyncIterable<TaskEvent>,
  { signal }: AbortableOptions = {},
): AsyncGenerator<TaskEvent, void, undefined> {
  const seen = new Set<string>()
  const iterator = live[Symbol.asyncIterator]()
  // Not while next() is pending: a generator holds return() back until that ends. And not after its end.
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
  // The consumer already has the reason of the abort; any error from the end of the live stream comes too late.
  iterator.return?.().catch(() => {})
}
