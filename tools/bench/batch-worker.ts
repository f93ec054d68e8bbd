// A worker thread: reports when its encoding is loaded, then compresses each log that it is sent and asks for the next.
import { parentPort } from 'node:worker_threads'
import { compressLog, tiktokenCounter } from '@tenfold/core'
import { extractiveSummarizer } from '@tenfold/summarizers/extractive'

const counter = tiktokenCounter()
counter.count('load the encoding')
parentPort?.on('message', async (log: string) => {
  await compressLog(log, { summarizer: extractiveSummarizer(), counter })
  parentPort?.postMessage('next')
})
parentPort?.postMessage('next')
