import { spawnSync } from 'node:child_process'
import type { Run } from './drive-agent.ts'

const median = (numbers: readonly number[]): number =>
  [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0

/** How long the hooks of a run took, by event, beside a program of Node that does nothing. */
export function hookTimes({ hooks, times }: Run): string {
  const empty = median(
    Array.from({ length: 9 }, () => {
      const began = performance.now()
      spawnSync(process.execPath, ['-e', '0'])
      return performance.now() - began
    }),
  )
  const byEvent = new Map<string, number[]>()
  for (const { at, event, job } of hooks) {
    const written = Date.parse(at)
    const time = times.find(({ began, ended }) => began <= written && written <= ended)
    if (event === undefined || job !== undefined || time === undefined) continue
    byEvent.set(event, [...(byEvent.get(event) ?? []), time.ended - time.began])
  }
  const lines = [...byEvent].map(
    ([event, all]) => `  ${event}: median ${median(all)} ms, at most ${Math.max(...all)} (${all.length})\n`,
  )
  return `${lines.join('')}  an empty program: ${Math.round(empty)} ms\n`
}
