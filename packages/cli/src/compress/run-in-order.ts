import type { Spending } from '@tenfold/core/internal'
import PQueue from 'p-queue'
import type { LogOutcome } from './compress-one.ts'

/** At most `limit` at a time; emits results in the order of the items. Rejects as soon as one of them does. */
export async function runInOrder<T, R>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<R>,
  emit: (result: R) => Promise<void> | void,
): Promise<void> {
  const queue = new PQueue({ concurrency: limit })
  const results = items.map((item) => queue.add(() => work(item)))
  const emitAll = async (): Promise<void> => {
    for (const result of results) await emit(await result)
  }
  await Promise.all([emitAll(), ...results])
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
