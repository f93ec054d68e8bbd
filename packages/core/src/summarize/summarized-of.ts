import type { SummarizedPlan } from './summarize-plan.ts'

const key = Symbol.for('tenfold.summarized')

/** Attaches the results of paid calls to a later error. */
export function carrySummarized(error: unknown, summarized: SummarizedPlan): void {
  if (summarized.calls.length === 0 || typeof error !== 'object' || error === null) return
  // Fails for a frozen error, which must still be thrown unchanged.
  Reflect.defineProperty(error, key, { value: summarized, configurable: true })
}

/**
 * Returns the results of the summarizers, with all calls, from an error of `compressLog` while it assembled or saved
 * the bundle. {@link finishLog} accepts them, so that nobody pays twice. Undefined if nothing was paid.
 */
export function summarizedOf(error: unknown): SummarizedPlan | undefined {
  return typeof error === 'object' && error !== null
    ? (Reflect.get(error, key) as SummarizedPlan | undefined)
    : undefined
}
