/**
 * Works on items, at most `limit` at a time, and passes each result to `emit` in the order of the items, as soon as all
 * earlier ones are done. `work` must not reject.
 */
export async function runInOrder<T, R>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<R>,
  emit: (result: R) => Promise<void> | void,
): Promise<void> {
  const waiting = new Map<number, R>()
  let next = 0
  let shown = 0
  const worker = async (): Promise<void> => {
    for (const [index, item] of take()) {
      waiting.set(index, await work(item))
      for (let result = waiting.get(shown); result !== undefined; result = waiting.get(shown)) {
        waiting.delete(shown)
        shown += 1
        await emit(result)
      }
    }
  }
  function* take(): Generator<[number, T]> {
    while (next < items.length) {
      const index = next++
      yield [index, items[index] as T]
    }
  }
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker))
}
