// A session summarized by a model of Anthropic, with limits and a fallback. Without a key it asks a stand-in of this
// repository.
import assert from 'node:assert/strict'
import { fileURLToPath } from 'node:url'
import { compressLog } from '@tenfold/core'
import { anthropicSummarizer } from '@tenfold/summarizers/anthropic'
import { extractiveSummarizer } from '@tenfold/summarizers/extractive'
import { startStandIn } from '@tenfold/test/stand-in'

const [log = fileURLToPath(new URL('../logs/claude-code-rate-limiter.jsonl', import.meta.url))] =
  process.argv.slice(2)
const { ANTHROPIC_API_KEY, ANTHROPIC_MODEL = 'claude-haiku-5-5' } = process.env
const standIn = ANTHROPIC_API_KEY === undefined ? await startStandIn() : undefined
if (standIn !== undefined)
  console.log('ANTHROPIC_API_KEY is not set: a stand-in answers, no model is called and nothing is billed.')

const { bundle } = await compressLog(log, {
  // If the model fails, the offline summarizer writes the summary; the bundle says so.
  summarizer: [
    anthropicSummarizer({
      model: ANTHROPIC_MODEL,
      // Up to 100,000 tokens per request this model costs a fifth: larger sessions are sent in parts.
      maxInputTokens: 100_000,
      ...(standIn !== undefined && { apiKey: 'stand-in', baseURL: standIn.url }),
    }),
    extractiveSummarizer(),
  ],
  limits: { maxCost: 0.5 },
  onCall: ({ purpose, stop, usage }) => console.log(`${purpose}: ${stop}, ${usage.inputTokens} tokens in`),
})

const { summarizer, model, calls, usage, cost, fallback, readTokens } = bundle.compression
console.log(`${summarizer} ${model} read ${readTokens} tokens of the log in ${calls.length} calls`)
console.log(`${usage?.inputTokens} tokens in, ${usage?.outputTokens} out, ${cost?.amount} ${cost?.currency}`)
console.log(fallback ?? `next: ${bundle.nextSteps[0]?.action}`)

assert(bundle.compression.ratio <= 0.1)
assert(calls.length > 0)
if (standIn !== undefined) {
  // The ledger records what was billed, to the token.
  assert.equal(summarizer, 'anthropic')
  assert.equal(
    usage?.inputTokens,
    standIn.bill.reduce((sum, entry) => sum + entry.usage.input, 0),
  )
  await standIn.close()
}
