// Run as a separate process: reads and compresses the log in its argument, and prints the seconds of CPU time as JSON.
import { stat } from 'node:fs/promises'

import { compressLog, readSession, tiktokenCounter } from '@tenfold/core'
import { extractiveSummarizer } from '@tenfold/summarizers/extractive'

const [log = ''] = process.argv.slice(2)
const maxLogBytes = 4 * 2 ** 30
// A process that has worked for a while is several times faster: small logs are read as often as it takes to know.
const enoughBytes = 10e6

async function read(): Promise<void> {
  await readSession(log, { maxLogBytes })
}

async function compress(): Promise<void> {
  // A new counter each time: its memory of texts seen before would flatter it.
  await compressLog(log, { summarizer: extractiveSummarizer(), counter: tiktokenCounter(), maxLogBytes })
}

/** Seconds of one round, after as many again that are not counted. */
async function seconds(work: () => Promise<void>, rounds: number): Promise<number> {
  if (rounds > 1) for (let round = 0; round < rounds; round++) await work()
  const before = process.cpuUsage()
  for (let round = 0; round < rounds; round++) await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1e6 / rounds
}

const rounds = Math.max(1, Math.round(enoughBytes / (await stat(log)).size))
const times = { read: await seconds(read, rounds), compress: await seconds(compress, rounds) }
process.stdout.write(JSON.stringify(times))
