// Compresses a log in a process of its own, as tests start it, stop it and kill it: `node compress-child.js '{"log":…}'`.

import { bundleStore, compressOnce } from '@tenfold/core'
import { fileStorage } from '@tenfold/storage-fs'
import { anthropicSummarizer } from '@tenfold/summarizers/anthropic'

const { log, folder, baseURL, leaseMs, contextWindow } = JSON.parse(process.argv[2] ?? '')
const result = await compressOnce(log, {
  store: bundleStore(fileStorage(folder)),
  summarizer: anthropicSummarizer({ model: 'claude-opus-5-5', apiKey: 'test-key', baseURL, contextWindow }),
  concurrency: 1,
  lease: { leaseMs, onWait: () => console.log('waiting') },
})
console.log(JSON.stringify('known' in result ? { known: result.known.id } : { made: result.bundle.id }))
