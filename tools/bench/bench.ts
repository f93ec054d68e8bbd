import { mkdtemp, rm, stat } from 'node:fs/promises'
import { cpus, tmpdir, totalmem } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { logsBelow, writeCorpus, writeMixed } from './corpus.ts'
import { measureEventLoop } from './event-loop.ts'
import { growthTable, measureGrowth } from './growth.ts'
import {
  type Measure,
  measureBatch,
  measureCompressing,
  measureCounting,
  measureMemory,
  measureReading,
} from './measures.ts'
import { measurePeers } from './peers.ts'
import { measureQueue } from './queue.ts'
import { measureQueueWorkers } from './queue-workers.ts'
import { measureStart } from './start.ts'

const usage = `Usage: npm run bench -- [FOLDER] [options]
Measures speed and memory, each against a baseline in the same run: the ratios say more than the figures, which depend on the machine.
Takes the JSONL logs below FOLDER, otherwise the example logs, repeated with fresh ids.

  --repeat N      rounds; the median counts (default 5)
  --megabytes N   size of the corpus made from the example logs (default 20)
  --logs N        logs in that corpus (default 8)
  --start         only what commands and imports take to start
  --growth        only how the time to read and to compress grows with the log: an example log, repeated to 1, 10 and
                  100 MB (one round; more with --repeat)
  --gigabyte      with --growth: 1 GB too
  --peers         Tenfold beside other packages, which are installed from npm outside of the repository
  --queue         only 1, 2 and 4 workers of a queue
  --json          all numbers as JSON`

interface Corpus {
  readonly name: string
  readonly logs: readonly string[]
  /** Many, of mixed size. */
  readonly forBatch: readonly string[]
  /** In order of size. */
  readonly forMemory: readonly string[]
}

async function main(): Promise<void> {
  const { folder, repeat, megabytes, logs, start, growth, gigabyte, peers, queue, json } = readArguments()
  const temporary = await mkdtemp(join(tmpdir(), 'tenfold-bench-'))
  try {
    if (growth) {
      const growths = await measureGrowth(await longestExample(), temporary, {
        megabytes: gigabyte ? [1, 10, 100, 1000] : [1, 10, 100],
        repeat,
      })
      console.log(json ? JSON.stringify(growths, null, 2) : growthTable(growths))
      return
    }
    const corpus =
      folder === undefined ? await exampleCorpus(temporary, megabytes, logs) : await folderCorpus(folder)
    const compared = peers ? await measurePeers(corpus.logs, repeat, temporary) : undefined
    const measures = compared
      ? compared.measures
      : queue
        ? await measureQueueWorkers(corpus.forBatch, repeat, join(temporary, 'queue'))
        : [
            ...(start ? [] : await measureLogs(corpus, repeat, temporary)),
            ...(await measureStart(join(temporary, 'start'), repeat)),
          ]
    const machine = `Node ${process.versions.node}, ${process.platform} ${process.arch}, ${cpus().length} × ${cpus()[0]?.model ?? 'CPU'}, ${Math.round(totalmem() / 1e9)} GB`
    if (json) console.log(JSON.stringify({ machine, corpus: corpus.name, repeat, measures }, null, 2))
    else if (measures.length > 0)
      console.log(`${tableOf(measures)}\n\n${corpus.name}; median of ${repeat}. ${machine}.`)
    for (const message of compared?.missing ?? []) console.error(message)
  } finally {
    await rm(temporary, { recursive: true, force: true })
  }
}

async function measureLogs(corpus: Corpus, repeat: number, temporary: string): Promise<Measure[]> {
  return [
    await measureReading(corpus.logs, repeat),
    await measureCounting(corpus.logs, repeat),
    await measureCompressing(corpus.logs, repeat),
    ...(await measureMemory(corpus.forMemory, repeat)),
    ...(await measureBatch(corpus.forBatch, repeat, temporary)),
    ...(await measureEventLoop(corpus.forMemory.at(-1) ?? '')),
    ...(await measureQueue(join(temporary, 'queue'), repeat)),
  ]
}

function readArguments() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      repeat: { type: 'string' },
      megabytes: { type: 'string', default: '20' },
      logs: { type: 'string', default: '8' },
      start: { type: 'boolean', default: false },
      growth: { type: 'boolean', default: false },
      gigabyte: { type: 'boolean', default: false },
      peers: { type: 'boolean', default: false },
      queue: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  const { start, growth, gigabyte, peers, queue, json } = values
  const rounds = values.repeat ?? (growth ? '1' : '5')
  const [repeat, megabytes, logs] = [rounds, values.megabytes, values.logs].map(Number) as [
    number,
    number,
    number,
  ]
  if (values.help || positionals.length > 1 || !(repeat >= 1) || !(megabytes > 0) || !(logs >= 1)) {
    console.error(usage)
    process.exit(values.help ? 0 : 2)
  }
  return { folder: positionals[0], repeat, megabytes, logs, start, growth, gigabyte, peers, queue, json }
}

/** The example log with the longest session. */
async function longestExample(): Promise<string> {
  const logs = await exampleLogs()
  const sizes = await Promise.all(logs.map(async (log) => (await stat(log)).size))
  return logs[sizes.indexOf(Math.max(...sizes))] ?? ''
}

async function exampleLogs(): Promise<string[]> {
  return await logsBelow(fileURLToPath(new URL('../../../examples/logs', import.meta.url)))
}

/** Logs of a batch for each log of the corpus. */
const batchLogs = 25

async function exampleCorpus(temporary: string, megabytes: number, files: number): Promise<Corpus> {
  const examples = await exampleLogs()
  const logs = await writeCorpus(examples, join(temporary, 'logs'), { files, megabytes: megabytes / files })
  const forMemory: string[] = []
  for (const size of [megabytes / 8, megabytes / 2, megabytes * 2]) {
    const folder = join(temporary, `${size}`)
    forMemory.push(...(await writeCorpus(examples, folder, { files: 1, megabytes: size })))
  }
  const batch = { files: files * batchLogs, megabytes: megabytes / 10 }
  const forBatch = await writeMixed(examples, join(temporary, 'batch'), batch)
  const name = `The example logs, repeated to ${megabytes} MB in ${files} logs; a batch of ${batch.files} logs of up to ${batch.megabytes} MB`
  return { name, logs, forBatch, forMemory }
}

/** A small, a medium and the largest log show how memory grows. */
async function folderCorpus(folder: string): Promise<Corpus> {
  const logs = await logsBelow(folder)
  if (logs.length === 0) throw new Error(`there are no JSONL logs below ${folder}`)
  const sizes = await Promise.all(logs.map(async (log) => ({ log, size: (await stat(log)).size })))
  const rising = sizes.sort((a, b) => a.size - b.size)
  const places = new Set([0.25, 0.75, 1].map((share) => Math.round((rising.length - 1) * share)))
  const forMemory = [...places].flatMap((place) => rising[place]?.log ?? [])
  const bytes = sizes.reduce((sum, { size }) => sum + size, 0)
  return {
    name: `${logs.length} logs of ${basename(folder)}, ${Math.round(bytes / 1e6)} MB`,
    ...{ logs, forBatch: logs, forMemory },
  }
}

function tableOf(measures: readonly Measure[]): string {
  const rows = measures.map(
    ({ what, value, unit, against, base, ratio }) =>
      `| ${what} | ${number(value)} ${unit} | ${against} | ${number(base)} ${unit} | ${ratio.toFixed(2)} |`,
  )
  return ['| what | Tenfold | against | | ratio |', '|---|--:|---|--:|--:|', ...rows].join('\n')
}

function number(value: number): string {
  return value >= 100 ? String(Math.round(value)) : value.toPrecision(3)
}

await main().catch((error: unknown) => {
  console.error(`error: ${error instanceof Error ? error.message : String(error)}`)
  process.exitCode = 1
})
