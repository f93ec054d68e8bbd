import type { Spending } from '@tenfold/core/internal'
import PQueue from 'p-queue'
import type { LogOutcome } from './compress-one.ts'

/** Works on at most `limit` items at a time and emits results in the items' order. Rejects at the first failure. */
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

/** Retries items that the budget refused during other requests, which usually cost less than they reserve. */
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
