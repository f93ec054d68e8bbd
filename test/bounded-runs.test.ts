import { join, resolve } from 'node:path'
import { compressLog, type Summarizer, type SummarizerCall } from '@tenfold/core'
import { anthropicSummarizer } from '@tenfold/summarizers/anthropic'
import { extractiveSummarizer } from '@tenfold/summarizers/extractive'
import { ollamaSummarizer } from '@tenfold/summarizers/ollama'
import { openaiSummarizer } from '@tenfold/summarizers/openai'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type ScenarioLike, type StandIn, startStandIn } from './stand-in/index.ts'

const log = join(resolve(import.meta.dirname, '../examples/logs'), 'codex-csv-importer.jsonl')

let standIn: StandIn
beforeEach(async () => {
  standIn = await startStandIn()
})
afterEach(() => standIn.close())

type Make = (more?: object) => Summarizer
const common = { apiKey: 'test-key', sleep: () => Promise.resolve(), maxRetries: 2 }
const makers: [name: string, make: Make][] = [
  [
    'anthropic',
    (more) => anthropicSummarizer({ ...common, model: 'claude-opus-5-5', baseURL: standIn.url, ...more }),
  ],
  [
    'openai',
    (more) =>
      openaiSummarizer({
        ...common,
        model: 'gpt-6-sol',
        api: 'responses',
        baseURL: `${standIn.url}/v1`,
        ...more,
      }),
  ],
  [
    'openai chat',
    (more) =>
      openaiSummarizer({
        ...common,
        model: 'gpt-6-sol',
        api: 'chat',
        baseURL: `${standIn.url}/v1`,
        contextWindow: 200_000,
        maxTokensField: 'max_completion_tokens',
        ...more,
      }),
  ],
  [
    'ollama',
    (more) => ollamaSummarizer({ ...common, model: 'm', host: standIn.url, numCtx: 131_072, ...more }),
  ],
]

async function run(make: Make, scenario: ScenarioLike, options: { more?: object; run?: object } = {}) {
  standIn.always(scenario)
  before = standIn.requests.length
  const told: SummarizerCall[] = []
  const result = await compressLog(log, {
    summarizer: [make(options.more), extractiveSummarizer()],
    onCall: (call) => told.push(call),
    ...options.run,
  })
  expect(told).toEqual(result.calls)
  return result
}

let before = 0
/** Requests since the run began. */
const modelRequests = () => standIn.requests.slice(before).filter(({ method }) => method === 'POST')
/** Roughly how many tokens were sent. */
const sentTokens = () => modelRequests().reduce((sum, { text }) => sum + text.length / 4, 0)

describe.each(makers)('a run with %s', (name, make) => {
  it('stops after a few requests if the server always finds them too large', async () => {
    const { calls, bundle } = await run(make, 413)
    expect(modelRequests().length).toBeLessThan(7)
    expect(calls).toHaveLength(modelRequests().length)
    expect(bundle.compression.fallback).toMatch(/prompt-too-long; extractive wrote the whole$/)
  })

  it('pays a few times at most for answers that are always cut', async () => {
    const { calls } = await run(make, 'max_tokens')
    expect(calls).toHaveLength(modelRequests().length)
    expect(modelRequests().length).toBeLessThan(8)
  })

  it('keeps maxInputTokens, counting what fails, is cut or is sent again', async () => {
    const limits = { maxInputTokens: 100_000 }
    for (const scenario of [413, 'max_tokens', 529, 'stream_cut', 'bad_schema', 500] as const) {
      const { calls } = await run(make, scenario, { run: { limits } })
      expect(calls).toHaveLength(modelRequests().length)
      expect(sentTokens(), String(scenario)).toBeLessThan(100_000)
    }
  })

  it('ends a call that only gives signs of life, and does not repeat it', async () => {
    const pings = { scenario: 'pings', n: 600, everyMs: 50 } as const
    const { calls, bundle } = await run(make, name === 'ollama' ? { scenario: 'stall_headers' } : pings, {
      // Long enough for the request to be sent on a busy machine.
      more: { timeoutMs: 1500 },
    })
    expect(modelRequests()).toHaveLength(1)
    expect(calls).toMatchObject([{ error: expect.stringMatching(/^timeout/) }])
    expect(bundle.compression.fallback).toMatch(/timeout; extractive wrote the whole$/)
  })

  it('ends after the time of the whole run', async () => {
    const drip = { scenario: 'drip', everyMs: 500 } as const
    const { calls, bundle } = await run(make, drip, { run: { timeoutMs: 1500 } })
    expect(calls).toHaveLength(1)
    expect(bundle.compression.fallback).toMatch(/timeout; extractive wrote the whole$/)
  })

  it('counts the cost as a lower bound if an answer broke off or did not report it', async () => {
    for (const scenario of ['stream_error', 'stream_cut', 'no_usage'] as const) {
      // Anthropic always reports it.
      if (name === 'anthropic' && scenario === 'no_usage') continue
      const { bundle } = await run(make, scenario)
      if (name === 'ollama') expect(bundle.compression.cost).toMatchObject({ amount: 0 })
      else expect(bundle.compression.cost, scenario).toMatchObject({ atLeast: true })
    }
  })
})

it('a server that reports having read next to nothing is asked only once', async () => {
  const { calls } = await run(makers[2]?.[1] as Make, { scenario: 'window', tokens: 10 })
  expect(modelRequests()).toHaveLength(1)
  expect(calls).toMatchObject([{ error: expect.stringMatching(/^prompt-too-long/) }])
})
