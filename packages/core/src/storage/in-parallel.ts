/**
 * Runs over all values, at most `limit` at once, and returns the results in order. After a failure no further value is
 * started; it rejects with the first failure once all running ones have ended.
 */
export async function inParallel<T, R>(
  values: readonly T[],
  limit: number,
  run: (value: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = []
  const failures: unknown[] = []
  const left = values.entries()
  const work = async (): Promise<void> => {
    for (const [index, value] of left) {
      if (failures.length > 0) return
      try {
        results[index] = await run(value)
      } catch (error) {
        failures.push(error)
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(limit, values.length) }, work))
  if (failures.length > 0) throw failures[0]
  return results
}
