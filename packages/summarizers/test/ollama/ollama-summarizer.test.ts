import { describe, expect, it } from 'vitest'
import { testStandIn } from '../../../../test/support/test-stand-in.ts'
import { type OllamaSummarizerOptions, ollamaSummarizer } from '../../src/ollama/index.ts'
import { summaryRequest } from '../support/ask.ts'

const server = testStandIn('all')

function llama(options: Partial<OllamaSummarizerOptions> = {}) {
  return ollamaSummarizer({ model: 'qwen3', host: server.url, sleep: async () => {}, ...options })
}

describe('ollamaSummarizer', () => {
  it('has its defaults', () => {
    expect(llama()).toMatchObject({ name: 'ollama', model: 'qwen3', incremental: true })
    expect(llama().estimate?.(summaryRequest).maxOutputTokens).toBe(4096)
    expect(llama({ numCtx: 12_000 }).estimate?.(summaryRequest).maxOutputTokens).toBe(3000)
    const window = llama().contextWindow ?? 0
    expect(window).toBeGreaterThan(10_000)
    expect(window).toBeLessThan((32_768 - 4096) / 1.3)
  })

  it('never asks a window to hold more than it can, not even on a second try with more room', async () => {
    server.script(['max_tokens', 'ok'])
    const { calls } = await llama({ numCtx: 10_000 }).summarize(summaryRequest, {
      signal: new AbortController().signal,
    })
    expect(calls.map(({ stop }) => stop)).toEqual(['max-tokens', 'end'])
  })
})
