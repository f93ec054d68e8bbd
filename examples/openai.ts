// The same through OpenAI's Responses API, or any OpenAI-compatible server. Without a key it asks a stand-in of this
// repository.
import assert from 'node:assert/strict'
import { fileURLToPath } from 'node:url'
import { compressLog } from '@tenfold/core'
import { openaiSummarizer } from '@tenfold/summarizers/openai'
import { startStandIn } from '@tenfold/test/stand-in'

const [log = fileURLToPath(new URL('../logs/codex-csv-importer.jsonl', import.meta.url))] =
  process.argv.slice(2)
const { OPENAI_API_KEY, OPENAI_BASE_URL, OPENAI_MODEL = 'gpt-6-luna' } = process.env
const standIn =
  OPENAI_API_KEY === undefined && OPENAI_BASE_URL === undefined ? await startStandIn() : undefined
if (standIn !== undefined)
  console.log('OPENAI_API_KEY is not set: a stand-in answers, no model is called and nothing is billed.')

// For your own server (vLLM, LM Studio, llama.cpp, OpenRouter) set OPENAI_BASE_URL: it is called by Chat Completions.
const baseURL = standIn === undefined ? OPENAI_BASE_URL : `${standIn.url}/v1`
const summarizer = openaiSummarizer({
  model: OPENAI_MODEL,
  ...(baseURL !== undefined && { baseURL }),
  ...(standIn !== undefined && { api: 'responses', apiKey: 'stand-in' }),
})
const first = await compressLog(log, { summarizer })
console.log(
  `${first.bundle.compression.sourceTokens} tokens are ${first.bundle.compression.bundleTokens}, of kind ${first.bundle.kind}`,
)

// The same log again: nothing is new, so no model is called, and the earlier summary is kept.
const second = await compressLog(log, { summarizer, previous: first.bundle })
console.log(
  `called ${first.bundle.compression.calls.length} times, then ${second.bundle.compression.calls.length}`,
)

assert(first.bundle.compression.ratio <= 0.1)
assert.equal(second.bundle.compression.calls.length, 0)
assert.equal(second.bundle.previous, first.bundle.id)
assert.equal(second.bundle.summary, first.bundle.summary)
await standIn?.close()
