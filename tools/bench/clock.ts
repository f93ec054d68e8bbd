/** A subject to time: seconds are counted around `run`. */
export interface Timed {
  readonly name: string
  run(): unknown
}

/** Median seconds of each subject: one warm-up, then `repeat` rounds in which all take turns, in alternating order. */
export async function timeInTurns(subjects: readonly Timed[], repeat: number): Promise<number[]> {
  const seconds = subjects.map((): number[] => [])
  for (let round = 0; round <= repeat; round++) {
    const order = [...subjects.keys()]
    for (const index of round % 2 === 0 ? order : order.reverse()) {
      const started = performance.now()
      await subjects[index]?.run()
      if (round > 0) seconds[index]?.push((performance.now() - started) / 1000)
    }
  }
  return seconds.map(median)
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  const [high = Number.NaN, low = high] = [sorted[middle], sorted[middle - 1]]
  return sorted.length % 2 === 1 ? high : (low + high) / 2
}
