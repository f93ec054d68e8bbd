import type { Spending } from '@tenfold/core/internal'
import type { LogOutcome } from './compress-one.ts'

/** At most `limit` at a time; emits results in the order of the items. `work` must not reject. */
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

/** Repeats what the budget refused while other requests were under way: those mostly cost less than they reserve. */
export function withinBudget<T>(
  spending: Spending,
  work: (item: T) => Promise<LogOutcome>,
): (item: T) => Promise<LogOutcome> {
  const active = new Set<Promise<LogOutcome>>()
  return async (item) => {
    for (;;) {
      const before = spending.remainingCost()
      const running = work(item)
      active.add(running)
      const outcome = await running
      active.delete(running)
      const refused = outcome.error?.overBudget && (outcome.error.calls ?? []).length === 0
      if (!refused) return outcome
      while (spending.remainingCost() <= before && active.size > 0) await Promise.race(active)
      if (spending.remainingCost() <= before) return outcome
    }
  }
}
