import { execFile } from 'node:child_process'
import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { median } from './clock.ts'
import { writeLongLog } from './corpus.ts'

/** CPU time of one kind of work on logs of several sizes, and how it grows with the size. */
interface Growth {
  readonly what: 'read' | 'compress'
  readonly megabytes: readonly number[]
  /** Median for each size. */
  readonly seconds: readonly number[]
  /** Time is proportional to the size to the power of this. */
  readonly exponent: number
}

/** Reads and compresses logs of these sizes, each in a process of its own. */
export async function measureGrowth(
  example: string,
  folder: string,
  { megabytes, repeat }: { readonly megabytes: readonly number[]; readonly repeat: number },
): Promise<Growth[]> {
  const program = fileURLToPath(new URL('growth-worker.js', import.meta.url))
  const sizes: number[] = []
  const times: Record<Growth['what'], number>[][] = []
  for (const size of megabytes) {
    const log = await writeLongLog(example, join(folder, `${size}.jsonl`), size)
    sizes.push((await stat(log)).size / 1e6)
    const rounds: Record<Growth['what'], number>[] = []
    for (let round = 0; round < repeat; round++) {
      const { stdout } = await promisify(execFile)(process.execPath, [program, log])
      rounds.push(JSON.parse(stdout))
    }
    times.push(rounds)
    await rm(log)
  }
  return (['read', 'compress'] as const).map((what) => {
    const seconds = times.map((rounds) => median(rounds.map((round) => round[what])))
    return { what, megabytes: sizes, seconds, exponent: slope(sizes.map(Math.log), seconds.map(Math.log)) }
  })
}

/** The slope of the line through the points with the least squares. */
function slope(xs: readonly number[], ys: readonly number[]): number {
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, value) => sum + value, 0) / values.length
  const [x, y] = [mean(xs), mean(ys)]
  const product = xs.reduce((sum, value, index) => sum + (value - x) * ((ys[index] ?? 0) - y), 0)
  return product / xs.reduce((sum, value) => sum + (value - x) ** 2, 0)
}

/** The table of what `measureGrowth` found. */
export function growthTable(growths: readonly Growth[]): string {
  const [first] = growths
  const head = [
    'what',
    ...(first?.megabytes.map((size) => `${size < 10 ? size.toFixed(1) : Math.round(size)} MB`) ?? []),
    'exponent',
  ]
  const rows = growths.map(({ what, megabytes, seconds, exponent }) => [
    what,
    ...seconds.map((time, index) => `${((time * 1000) / (megabytes[index] ?? 1)).toFixed(1)} ms/MB`),
    exponent.toFixed(2),
  ])
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return [line(head), `|---|${'--:|'.repeat(head.length - 1)}`, ...rows.map(line)].join('\n')
}
