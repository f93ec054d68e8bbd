import { join, resolve } from 'node:path'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import {
  bundleFromMarkdown,
  bundleToMarkdown,
  compressLog,
  type Summarizer,
  tiktokenCounter,
} from '@tenfold/core'
import { aiSdkSummarizer } from '@tenfold/summarizers/ai-sdk'
import { ollamaSummarizer } from '@tenfold/summarizers/ollama'
import { openaiSummarizer } from '@tenfold/summarizers/openai'
import { describe, expect, it } from 'vitest'
import { testStandIn } from '../support/test-stand-in.ts'

const log = join(resolve(import.meta.dirname, '../../examples/logs'), 'claude-code-rate-limiter.jsonl')
const window = 8000
const counter = tiktokenCounter()

const standIn = testStandIn('all')

const made: Record<string, { readonly tokenFactor: number; readonly make: () => Summarizer }> = {
  'an OpenAI-compatible server': {
    tokenFactor: 1.4,
    make: () =>
      openaiSummarizer({ model: 'tiny', baseURL: standIn.openaiUrl, apiKey: 'k', contextWindow: window }),
  },
  Ollama: {
    tokenFactor: 1.3,
    make: () => ollamaSummarizer({ model: 'tiny', host: standIn.url, numCtx: window }),
  },
  'the AI SDK': {
    tokenFactor: 1.35,
    make: () => {
      const provider = createOpenAICompatible({ name: 'tiny', baseURL: standIn.openaiUrl, apiKey: 'k' })
      return aiSdkSummarizer({ model: provider('tiny'), contextWindow: window })
    },
  },
}

/** Tokens that a request may take of the window, and the words that it asks for. */
function sizeOf(body: Record<string, unknown>, tokenFactor: number) {
  const { messages, format, response_format, max_tokens, options } = body
  const output = Number(max_tokens ?? (options as { num_predict?: number }).num_predict)
  const text = (messages as { content: string }[]).map(({ content }) => content).join('\n')
  const schema = JSON.stringify(format ?? response_format ?? '')
  const input = counter.count(text) + counter.count(schema)
  const words = Number(/about (\d+) words in all/.exec(text)?.[1])
  return { total: input * tokenFactor + output, output, words }
}

describe.each(Object.entries(made))(
  'a model with a window of 8,000 tokens on %s',
  (_, { make, tokenFactor }) => {
    it('gives a valid bundle of a real session, and no request is larger than the window', async () => {
      const before = standIn.requests.length
      const { bundle } = await compressLog(log, { summarizer: make() })
      const sizes = standIn.requests
        .slice(before)
        .map(({ body }) => sizeOf(body as Record<string, unknown>, tokenFactor))

      expect(sizes.length).toBeGreaterThan(5)
      expect(Math.max(...sizes.map(({ total }) => total))).toBeLessThanOrEqual(window)
      // Reading is what the window is for, and an answer has room for twice the words that it is asked for.
      expect(Math.max(...sizes.map(({ output }) => output))).toBeLessThanOrEqual(window / 4)
      for (const { output, words } of sizes)
        expect((words / 0.5) * 2 * tokenFactor).toBeLessThanOrEqual(output)
      expect(bundle.compression.calls.filter(({ error }) => error !== undefined)).toEqual([])
      expect(bundle.compression.ratio).toBeLessThanOrEqual(0.1)
      expect(bundle.summary).not.toBe('')
      const markdown = bundleToMarkdown(bundle)
      expect(bundleToMarkdown(bundleFromMarkdown(markdown))).toBe(markdown)
    })
  },
)
