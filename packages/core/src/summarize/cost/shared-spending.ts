import type { Summarizer } from '../summarizer.ts'
import type { Spending } from './spending.ts'

/** The summarizer, with calls that also count towards what many sessions may spend together. */
export function withSharedSpending(summarizer: Summarizer, spending: Spending): Summarizer {
  if (summarizer.estimate === undefined) return summarizer
  return {
    ...summarizer,
    summarize: (request, control) =>
      summarizer.summarize(request, {
        ...control,
        async admit(estimate) {
          // First the session's own limits: what those refuse must not stay reserved here.
          await control.admit?.(estimate)
          spending.admit(estimate)
        },
        onCall(call) {
          spending.record(call)
          control.onCall?.(call)
        },
      }),
  }
}
