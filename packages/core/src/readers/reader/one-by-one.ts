import { pauses } from '../../session/pauses.ts'

/**
 * The items of all batches, in order, with pauses for the event loop. An item of a batch at hand costs one promise; an
 * item of generators that yield to each other costs several for each of them.
 */
export function oneByOne<T>(batches: AsyncGenerator<Iterable<T>, void>): AsyncIterableIterator<T> {
  const pause = pauses()
  let batch: Iterator<T> = [][Symbol.iterator]()
  return {
    [Symbol.asyncIterator]() {
      return this
    },
    async next() {
      try {
        const paused = pause()
        if (paused !== undefined) await paused
        for (;;) {
          const next = batch.next()
          if (next.done !== true) return next
          const more = await batches.next()
          if (more.done === true) return { done: true, value: undefined }
          batch = more.value[Symbol.iterator]()
        }
      } catch (error) {
        // A loop that `next` fails does not call `return`.
        await batches.return()
        throw error
      }
    },
    async return() {
      batch.return?.()
      await batches.return()
      return { done: true, value: undefined }
    },
  }
}
