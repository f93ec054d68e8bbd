// An orchestrator at the end of a session: compresses its log into the store, then starts the next session from the
// brief.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundleStore, compressLog, renderBrief, tiktokenCounter } from '@tenfold/core'
import { fileStorage } from '@tenfold/storage-fs'
import { extractiveSummarizer } from '@tenfold/summarizers/extractive'

const [log = fileURLToPath(new URL('../logs/claude-code-rate-limiter.jsonl', import.meta.url))] =
  process.argv.slice(2)
const folder = await mkdtemp(join(tmpdir(), 'tenfold-example-'))
const counter = tiktokenCounter()

// When the session ends.
const { stored } = await compressLog(log, {
  summarizer: extractiveSummarizer(),
  store: bundleStore(fileStorage(folder)),
  counter,
  kind: 'progress',
  track: 'rate-limiter',
})
assert(stored)
console.log(`saved ${stored.key} on track ${stored.track}`)

// When the next one starts, in another process that knows only the folder.
const latest = await bundleStore(fileStorage(folder)).latest('rate-limiter')
assert(latest)
const { compression, nextSteps } = latest.bundle
const brief = await renderBrief(latest.bundle, { maxTokens: 1500, counter })
console.log(
  `${compression.sourceTokens} tokens are ${compression.bundleTokens} in the bundle, ${counter.count(brief)} in the brief`,
)
console.log(`continue with: ${nextSteps[0]?.action}`)

assert.equal(latest.bundle.id, stored.id)
assert(compression.ratio <= 0.1)
assert(counter.count(brief) <= 1500)
assert(nextSteps.length > 0)
await rm(folder, { recursive: true })
