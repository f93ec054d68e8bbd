import { execFile } from 'node:child_process'
import { readFile, stat } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { compressLog, readSession, tiktokenCounter } from '@tenfold/core'
import { eventText } from '@tenfold/core/readers'
import { extractiveSummarizer } from '@tenfold/summarizers/extractive'
import { get_encoding } from 'tiktoken'
import { type BatchTime, compressBatch } from './batch.ts'
import { median, timeInTurns } from './clock.ts'

/** One line of the table: a figure of Tenfold, its baseline in the same run, and the quotient. */
export interface Measure {
  readonly what: string
  readonly value: number
  readonly unit: string
  readonly against: string
  readonly base: number
  /** value / base, or base / value if the unit is time per megabyte. */
  readonly ratio: number
}

const megabyte = 1e6
const maxLineLength = 20_000
const maxText = 8 * megabyte

/** Reading into the common vocabulary, against only JSON.parse of the same lines. */
export async function measureReading(logs: readonly string[], repeat: number): Promise<Measure> {
  const files = await Promise.all(logs.map((log) => readFile(log)))
  const size = files.reduce((sum, file) => sum + file.byteLength, 0) / megabyte
  const [reading = 0, parsing = 0] = await timeInTurns(
    [
      {
        name: 'readSession',
        async run() {
          for (const file of files) await readSession(file)
        },
      },
      {
        name: 'JSON.parse',
        run() {
          for (const file of files) parseLines(file)
        },
      },
    ],
    repeat,
  )
  return speed('read and normalise', 'JSON.parse of the lines alone', size / reading, size / parsing)
}

function parseLines(file: Buffer): number {
  let lines = 0
  for (let start = 0; start < file.length; ) {
    const end = file.indexOf(10, start)
    const line = file.toString('utf8', start, end === -1 ? file.length : end)
    if (line.trim() !== '' && isJson(line)) lines++
    start = end === -1 ? file.length : end + 1
  }
  return lines
}

/** Logs have incomplete lines; they cost time on both sides. */
function isJson(line: string): boolean {
  try {
    JSON.parse(line)
    return true
  } catch (error) {
    if (error instanceof SyntaxError) return false
    throw error
  }
}

/** Counting the text of all events, against tiktoken itself; without lines over 20 kB, on which it is quadratic. */
export async function measureCounting(logs: readonly string[], repeat: number): Promise<Measure> {
  const texts: string[] = []
  let size = 0
  for (const log of logs) {
    if (size > maxText) break
    for (const event of (await readSession(log)).events) {
      const text = eventText(event)
        .split('\n')
        .filter((line) => line.length <= maxLineLength)
        .join('\n')
      size += Buffer.byteLength(text)
      texts.push(text)
    }
  }
  const tiktoken = get_encoding('o200k_base')
  const totals = new Set<number>()
  const sum = (count: (text: string) => number): void => {
    totals.add(texts.reduce((tokens, text) => tokens + count(text), 0))
  }
  const [own = 0, bare = 0] = await timeInTurns(
    [
      {
        name: 'tiktokenCounter',
        run() {
          // A new counter each time: its memory of texts seen before would flatter it.
          const counter = tiktokenCounter()
          sum((text) => counter.count(text))
        },
      },
      { name: 'tiktoken', run: () => sum((text) => tiktoken.encode_ordinary(text).length) },
    ],
    repeat,
  )
  tiktoken.free()
  if (totals.size !== 1) throw new Error(`the counters differ: ${[...totals].join(' and ')} tokens`)
  return speed('count tokens', 'bare tiktoken encode_ordinary', size / megabyte / own, size / megabyte / bare)
}

/** The whole way from log to bundle, against only reading. */
export async function measureCompressing(logs: readonly string[], repeat: number): Promise<Measure> {
  const size = await megabytesOf(logs)
  const counter = tiktokenCounter()
  const [compressing = 0, reading = 0] = await timeInTurns(
    [
      {
        name: 'compressLog',
        async run() {
          for (const log of logs) await compressLog(log, { summarizer: extractiveSummarizer(), counter })
        },
      },
      {
        name: 'readSession',
        async run() {
          for (const log of logs) await readSession(log)
        },
      },
    ],
    repeat,
  )
  return speed('compress offline', 'reading alone', size / compressing, size / reading)
}

/** Peak memory of a process that compresses one log, against the same process without a log. */
export async function measureMemory(logs: readonly string[], repeat: number): Promise<Measure[]> {
  const subjects = [undefined, ...logs]
  const peaks = subjects.map((): number[] => [])
  for (let round = 0; round < repeat; round++)
    for (const [index, log] of subjects.entries()) peaks[index]?.push(await peakMemory(log))
  const [base = 0, ...most] = peaks.map(median)
  return await Promise.all(
    logs.map(async (log, index) => {
      const size = (await stat(log)).size / megabyte
      const value = (most[index] ?? Number.NaN) / megabyte
      return {
        what: `peak memory, log of ${size.toFixed(1)} MB`,
        value,
        unit: 'MB',
        against: 'encoding loaded, no log',
        base: base / megabyte,
        ratio: value / (base / megabyte),
      }
    }),
  )
}

async function peakMemory(log: string | undefined): Promise<number> {
  const program = fileURLToPath(new URL('peak-memory.js', import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, [
    program,
    ...(log === undefined ? [] : [log]),
  ])
  return Number(stdout)
}

/**
 * A batch of logs over two worker threads, against one. One worker keeps more than one core busy: Node compiles and
 * collects garbage in threads of its own, and files are read and compressed in others.
 */
export async function measureBatch(
  logs: readonly string[],
  repeat: number,
  folder: string,
): Promise<Measure[]> {
  const size = await megabytesOf(logs)
  const [one, two]: [BatchTime[], BatchTime[]] = [[], []]
  for (let round = 0; round < repeat; round++) {
    one.push(await compressBatch(logs, 1, folder))
    two.push(await compressBatch(logs, 2, folder))
  }
  const middle = (times: readonly BatchTime[], key: keyof BatchTime) => median(times.map((time) => time[key]))
  const [value, base] = [middle(two, 'cores'), middle(one, 'cores')]
  const what = 'cores kept busy, 2 workers'
  return [
    speed(
      ...(['compress a batch, 2 workers', '1 worker'] as const),
      ...([size / middle(two, 'seconds'), size / middle(one, 'seconds')] as const),
    ),
    { what, value, unit: 'cores', against: '1 worker', base, ratio: value / base },
  ]
}

function speed(what: string, against: string, value: number, base: number): Measure {
  return { what, value, unit: 'MB/s', against, base, ratio: value / base }
}

async function megabytesOf(logs: readonly string[]): Promise<number> {
  const sizes = await Promise.all(logs.map(async (log) => (await stat(log)).size))
  return sizes.reduce((sum, size) => sum + size, 0) / megabyte
}
