// A worker in a process of its own, as tests start it and kill it: `node worker.js '{"redis":…}'`.

import { queueWorker } from '@tenfold/queue'
import { fileStorage } from '@tenfold/storage-fs'
import { s3StorageFromUrl } from '@tenfold/storage-s3'
import { anthropicSummarizer } from '@tenfold/summarizers/anthropic'

const { redis, lockMs, baseURL, concurrency } = JSON.parse(process.argv[2] ?? '')
const worker = await queueWorker({
  ...{ redis, lockMs, concurrency },
  openStorage: (place) => (place.startsWith('s3:') ? s3StorageFromUrl(place) : fileStorage(place)),
  optionsOf: ({ model }) => ({ summarizer: anthropicSummarizer({ model, baseURL, apiKey: 'test-key' }) }),
  report: (event) => {
    if (event.event !== 'progress') console.log(JSON.stringify({ ...event, error: String(event.error) }))
  },
})
console.log('ready')
process.once('SIGTERM', () => worker.close())
await worker.ended
console.log('ended')
