import type { SummarizedPlan } from './summarize-plan.ts'

const key = Symbol.for('tenfold.summarized')

/** Attaches to an error what was paid for before it happened. */
export function carrySummarized(error: unknown, summarized: SummarizedPlan): void {
  if (summarized.calls.length === 0 || typeof error !== 'object' || error === null) return
  // Fails for a frozen error, which must still be thrown unchanged.
  Reflect.defineProperty(error, key, { value: summarized, configurable: true })
}

/**
 * Returns what the summarizers returned before `compressLog` failed to assemble or save the bundle, with all calls:
 * {@link finishLog} takes it, so that nobody pays twice. Undefined if nothing had been paid for.
 */
export function summarizedOf(error: unknown): SummarizedPlan | undefined {
  return typeof error === 'object' && error !== null
    ? (Reflect.get(error, key) as SummarizedPlan | undefined)
    : undefined
}
