import { readFile, stat } from 'node:fs/promises'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout } from 'node:timers/promises'
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
const heldMs = 50
/** Longest time after an abort until a call rejects. */
const abortMs = 100
const nanosPerMs = 1e6

/**
 * How long the work on one log holds up the event loop of its caller at most, and how long it goes on after an abort
 * that falls in it, against what is to be allowed.
 */
export async function measureEventLoop(log: string): Promise<Measure[]> {
  const bytes = await readFile(log)
  const megabytes = ((await stat(log)).size / 1e6).toFixed(1)
  const store = bundleStore(memoryStorage())
  const summarizer = extractiveSummarizer()
  const { bundle, session } = await compressLog(log, { summarizer, store })
  const works: Record<string, Work> = {
    'readSession of a path': (signal) => readSession(log, { signal }),
    'readSession of bytes': (signal) => readSession(bytes, { signal }),
    compressLog: (signal) => compressLog(log, { summarizer, signal }),
    compressLogs: (signal) => compressInThread(log, signal),
    recall: (signal) => recall(store, 'burst of requests', { signal }),
    measureBundle: (signal) => measureBundle(session, bundle, { signal }),
    renderPage: (signal) => renderPage(session, { bundle, signal }),
    renderBrief: (signal) => renderBrief(bundle, { signal }),
  }
  const measures: Measure[] = []
  for (const [what, run] of Object.entries(works)) {
    const { held, took } = await longestDelay(run)
    const values = [
      ['event loop held by', held, heldMs],
      ['time from an abort to the end of', await timeToEnd(run, took / 4), abortMs],
    ] as const
    for (const [of, value, base] of values)
      measures.push({
        what: `${of} ${what}, ${megabytes} MB`,
        value,
        unit: 'ms',
        against: 'limit',
        base,
        ratio: value / base,
      })
  }
  return measures
}

async function compressInThread(log: string, signal: AbortSignal): Promise<void> {
  const options = { summarizer: extractiveSummarizer(), concurrency: 1, signal }
  for await (const result of compressLogs([log], options)) if ('error' in result) throw result.error
}

type Work = (signal: AbortSignal) => Promise<unknown>

async function longestDelay(run: Work): Promise<{ held: number; took: number }> {
  const delays = monitorEventLoopDelay({ resolution: 1 })
  delays.enable()
  // What came before must not count.
  await setTimeout(20)
  delays.reset()
  // The first time after a reset is not counted.
  await setTimeout(20)
  const start = performance.now()
  await run(new AbortController().signal)
  const took = performance.now() - start
  // The turn that ended the work counts only when the next one begins.
  await setTimeout(20)
  delays.disable()
  return { held: delays.max / nanosPerMs, took }
}

/** From when an abort was due, which a held event loop delays, to the end of the work. */
async function timeToEnd(run: Work, afterMs: number): Promise<number> {
  const control = new AbortController()
  const due = performance.now() + afterMs
  void setTimeout(afterMs).then(() => control.abort())
  await run(control.signal).catch((error: unknown) => {
    if (!control.signal.aborted) throw error
  })
  return Math.max(0, performance.now() - due)
}
