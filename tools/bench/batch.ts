import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { bundleStore, compressLogs } from '@tenfold/core'
import { fileStorage } from '@tenfold/storage-fs'
import { extractiveSummarizer } from '@tenfold/summarizers/extractive'

/** Time and cores that a batch took. */
export interface BatchTime {
  readonly seconds: number
  /** CPU time of all threads, those of Node included, over elapsed time. */
  readonly cores: number
}

/** Compresses the logs as `tenfold compress` does, on `workers` threads into a new store below `folder`. */
export async function compressBatch(
  logs: readonly string[],
  workers: number,
  folder: string,
): Promise<BatchTime> {
  const place = await mkdtemp(join(folder, 'store-'))
  try {
    const cpu = process.cpuUsage()
    const started = performance.now()
    const options = { summarizer: extractiveSummarizer(), store: bundleStore(fileStorage(place)) }
    for await (const result of compressLogs(logs, { ...options, concurrency: workers }))
      if ('error' in result) throw result.error
    const seconds = (performance.now() - started) / 1000
    const { user, system } = process.cpuUsage(cpu)
    return { seconds, cores: (user + system) / 1e6 / seconds }
  } finally {
    await rm(place, { recursive: true })
  }
}
