import type { Spending } from '@tenfold/core'
import type { LogOutcome } from './compress-one.ts'

/**
 * Repeats work that the budget of the run refused while requests of other logs were under way: those reserve what they
 * may cost at most, and mostly cost less.
 */
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
