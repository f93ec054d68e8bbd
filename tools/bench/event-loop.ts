import { readFile, stat } from 'node:fs/promises'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import {
  bundleStore,
  compressLog,
  compressLogs,
  memoryStorage,
  readSession,
  recall,
  renderBrief,
} from '@tenfold/core'
import { measureBundle } from '@tenfold/measure'
import { extractiveSummarizer } from '@tenfold/summarizers/extractive'
import { renderPage } from '@tenfold/view'
import type { Measure } from './measures.ts'

/** Longest time that a program which uses the library should be held up. */
const limitMs = 50
const nanosPerMs = 1e6

/** How long the work on one log holds up the event loop of its caller at most, against what is to be allowed. */
export async function measureEventLoop(log: string): Promise<Measure[]> {
  const bytes = await readFile(log)
  const megabytes = ((await stat(log)).size / 1e6).toFixed(1)
  const store = bundleStore(memoryStorage())
  const { bundle, session } = await compressLog(log, { summarizer: extractiveSummarizer(), store })
  const works = [
    { what: 'readSession of a path', run: () => readSession(log) },
    { what: 'readSession of bytes', run: () => readSession(bytes) },
    { what: 'compressLog', run: () => compressLog(log, { summarizer: extractiveSummarizer() }) },
    { what: 'compressLogs', run: () => compressInThread(log) },
    { what: 'recall', run: () => recall(store, 'burst of requests') },
    { what: 'measureBundle', run: () => measureBundle(session, bundle) },
    { what: 'renderPage', run: () => renderPage(session, { bundle }) },
    { what: 'renderBrief', run: () => renderBrief(bundle) },
  ]
  const measures: Measure[] = []
  for (const { what, run } of works) {
    const value = await longestDelay(run)
    measures.push({
      what: `event loop held by ${what}, ${megabytes} MB`,
      value,
      unit: 'ms',
      against: 'limit',
      base: limitMs,
      ratio: value / limitMs,
    })
  }
  return measures
}

async function compressInThread(log: string): Promise<void> {
  for await (const result of compressLogs([log], { summarizer: extractiveSummarizer(), concurrency: 1 }))
    if ('error' in result) throw result.error
}

async function longestDelay(run: () => Promise<unknown>): Promise<number> {
  const delays = monitorEventLoopDelay({ resolution: 1 })
  delays.enable()
  // What came before must not count.
  await new Promise((resolve) => setTimeout(resolve, 20))
  delays.reset()
  // The first time after a reset is not counted.
  await new Promise((resolve) => setTimeout(resolve, 20))
  await run()
  // The turn that ended the work counts only when the next one begins.
  await new Promise((resolve) => setTimeout(resolve, 20))
  delays.disable()
  return delays.max / nanosPerMs
}
