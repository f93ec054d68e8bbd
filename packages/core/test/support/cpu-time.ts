import { expect } from 'vitest'

/** Milliseconds of CPU that this process has used. Other work on the machine does not count. */
function cpuTime(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** The CPU time of a run, in milliseconds. */
export async function cpuOf(run: () => unknown): Promise<number> {
  const began = cpuTime()
  await run()
  return cpuTime() - began
}

/** The least CPU time of five runs, or that of the first below the limit: a compiler or a garbage collection adds to some. */
export async function leastCpu(limit: number, run: () => unknown): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let left = 5; left > 0 && least >= limit; left--) least = Math.min(least, await cpuOf(run))
  return least
}

/** Expects that one of five runs takes fewer milliseconds of CPU than the limit. */
export async function expectCpuBelow(limit: number, run: () => unknown): Promise<void> {
  expect(await leastCpu(limit, run)).toBeLessThan(limit)
}
