import { compressLog, compressLogs } from '@tenfold/core'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { anthropicSummarizer } from '../src/anthropic/anthropic-summarizer.ts'
import { extractiveSummarizer } from '../src/extractive/extractive.ts'
import { openaiSummarizer } from '../src/openai/openai-summarizer.ts'

afterEach(() => vi.unstubAllEnvs())

const unset = [
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_AUTH_TOKEN',
  'ANTHROPIC_BASE_URL',
  'OPENAI_API_KEY',
  'OPENAI_BASE_URL',
]

describe.each([
  ['anthropic', () => anthropicSummarizer({ model: 'claude-opus-5-5' })],
  ['openai', () => openaiSummarizer({ model: 'gpt-6' })],
])('%s without a key', (_, make) => {
  const without = () => {
    for (const name of unset) vi.stubEnv(name, undefined)
    vi.stubEnv('HOME', '/nonexistent')
    return make()
  }
  const missing = {
    name: 'TenfoldError',
    code: 'missing-api-key',
    message: expect.stringContaining('API_KEY'),
  }

  it('is refused before the log is looked for', async () => {
    await expect(compressLog('missing.jsonl', { summarizer: without() })).rejects.toMatchObject(missing)
    const results = []
    for await (const result of compressLogs(['missing.jsonl'], { summarizer: without() }))
      results.push(result)
    expect(results).toMatchObject([{ error: missing, calls: [] }])
  })

  it('leaves the work to the next of a chain', async () => {
    const summarizer = [without(), extractiveSummarizer()]
    const parsed = [{ role: 'user', content: 'Rename the option.' }]
    const { bundle } = await compressLog({ parsed }, { summarizer })
    expect(bundle.compression).toMatchObject({ summarizer: 'extractive' })
  })

  it('works with a key', async () => {
    await expect(without().assertReady?.()).rejects.toMatchObject(missing)
    vi.stubEnv('ANTHROPIC_API_KEY', 'key')
    vi.stubEnv('OPENAI_API_KEY', 'key')
    await expect(make().assertReady?.()).resolves.toBeUndefined()
  })
})
