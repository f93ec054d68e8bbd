import { join, resolve } from 'node:path'
import {
  finishLog,
  type PreparedLog,
  prepareLog,
  type Summarizer,
  type SummarizerCall,
  summarizePlan,
} from '@tenfold/core'
import { anthropicSummarizer } from '@tenfold/summarizers/anthropic'
import { extractiveSummarizer } from '@tenfold/summarizers/extractive'
import { ollamaSummarizer } from '@tenfold/summarizers/ollama'
import { openaiSummarizer } from '@tenfold/summarizers/openai'
import { beforeAll, describe, expect, it } from 'vitest'
import { syntheticSession } from '../../tools/eval/needles/synthetic-session.ts'
import { type ScenarioLike, type StandIn, startStandIn } from '../stand-in/index.ts'
import { everyPoint } from '../support/repeats.ts'
import { testStandIn } from '../support/test-stand-in.ts'

const log = join(resolve(import.meta.dirname, '../../examples/logs'), 'codex-csv-importer.jsonl')

/** For what depends on the tokens of a log, and for what does not. */
let prepared: PreparedLog
let small: PreparedLog
let medium: PreparedLog
beforeAll(async () => {
  prepared = await prepareLog(log)
  small = await prepareLog(syntheticSession(3, 60).log)
  medium = await prepareLog(syntheticSession(2, 300).log)
})

const standIn = testStandIn('each')

type Make = (server: StandIn, more?: object) => Summarizer
const common = { apiKey: 'test-key', sleep: () => Promise.resolve(), maxRetries: 2 }
const makers: [name: string, make: Make][] = [
  [
    'anthropic',
    ({ url }, more) => anthropicSummarizer({ ...common, model: 'claude-opus-5-5', baseURL: url, ...more }),
  ],
  [
    'openai',
    ({ url }, more) =>
      openaiSummarizer({
        ...common,
        model: 'gpt-6-sol',
        api: 'responses',
        baseURL: `${url}/v1`,
        ...more,
      }),
  ],
  [
    'openai chat',
    ({ url }, more) =>
      openaiSummarizer({
        ...common,
        model: 'gpt-6-sol',
        api: 'chat',
        baseURL: `${url}/v1`,
        contextWindow: 200_000,
        maxTokensField: 'max_completion_tokens',
        ...more,
      }),
  ],
  [
    'ollama',
    ({ url }, more) => ollamaSummarizer({ ...common, model: 'm', host: url, numCtx: 131_072, ...more }),
  ],
]

interface RunOptions {
  readonly more?: object
  readonly run?: object
  /** @default that of the test */
  readonly server?: StandIn
  /** @default `prepared` */
  readonly of?: PreparedLog
}

async function run(make: Make, scenario: ScenarioLike, options: RunOptions = {}) {
  const { server = standIn, of = prepared } = options
  server.always(scenario)
  const before = server.requests.length
  const told: SummarizerCall[] = []
  const chain = [make(server, options.more), extractiveSummarizer()]
  const summarized = await summarizePlan(of.plan, chain, {
    onCall: (call) => told.push(call),
    ...options.run,
  })
  const { bundle, calls } = await finishLog(of, summarized, {})
  expect(told).toEqual(calls)
  const requests = server.requests.slice(before).filter(({ method }) => method === 'POST')
  // Roughly how many tokens were sent.
  const sentTokens = requests.reduce((sum, { text }) => sum + text.length / 4, 0)
  return { bundle, calls, requests: requests.length, sentTokens }
}

describe.each(makers)('a run with %s', (name, make) => {
  it('stops after a few requests if the server always finds them too large', async () => {
    const { calls, bundle, requests } = await run(make, 413, { of: medium })
    expect(requests).toBeLessThan(7)
    expect(calls).toHaveLength(requests)
    expect(bundle.compression.fallback).toMatch(/prompt-too-long; extractive wrote the whole$/)
  })

  it('pays a few times at most for answers that are always cut', async () => {
    const { calls, requests } = await run(make, 'max_tokens', { of: small })
    expect(calls).toHaveLength(requests)
    expect(requests).toBeLessThan(8)
  })

  it('keeps maxInputTokens, counting what fails, is cut or is sent again', async () => {
    const limits = { maxInputTokens: 100_000 }
    // The limit is kept in one place, so the providers take turns; `npm run soak` tries all with each.
    const scenarios = ['max_tokens', 529, 'stream_cut', 'bad_schema'] as const
    const turn = makers.findIndex(([other]) => other === name)
    const chosen = everyPoint ? scenarios : [scenarios[turn] ?? 529]
    for (const scenario of chosen) {
      const { calls, requests, sentTokens } = await run(make, scenario, { run: { limits } })
      expect(calls).toHaveLength(requests)
      expect(sentTokens, String(scenario)).toBeLessThan(100_000)
    }
  })

  it('counts the cost as a lower bound if an answer broke off or did not report it', async () => {
    for (const scenario of ['stream_error', 'stream_cut', 'no_usage'] as const) {
      // Anthropic always reports it.
      if (name === 'anthropic' && scenario === 'no_usage') continue
      const { bundle } = await run(make, scenario, { of: small })
      if (name === 'ollama') expect(bundle.compression.cost).toMatchObject({ amount: 0 })
      else expect(bundle.compression.cost, scenario).toMatchObject({ atLeast: true })
    }
  })
})

// Long enough for a request to be sent on a busy machine; the providers wait at the same time.
const patienceMs = 4000

describe('a run with any provider', () => {
  async function withEach(
    check: (name: string, make: Make, server: StandIn) => Promise<void>,
  ): Promise<void> {
    await Promise.all(
      makers.map(async ([name, make]) => {
        const server = await startStandIn()
        try {
          await check(name, make, server)
        } finally {
          await server.close()
        }
      }),
    )
  }

  it('ends a call that only gives signs of life, and does not repeat it', () =>
    withEach(async (name, make, server) => {
      const pings = { scenario: 'pings', n: 600, everyMs: 50 } as const
      const scenario = name === 'ollama' ? ({ scenario: 'stall_headers' } as const) : pings
      const more = { timeoutMs: patienceMs }
      const { calls, bundle, requests } = await run(make, scenario, { more, server, of: small })
      expect(requests, name).toBe(1)
      expect(calls, name).toMatchObject([{ error: expect.stringMatching(/^timeout/) }])
      expect(bundle.compression.fallback, name).toMatch(/timeout; extractive wrote the whole$/)
    }))

  it('ends after the time of the whole run', () =>
    withEach(async (name, make, server) => {
      const drip = { scenario: 'drip', everyMs: 2000 } as const
      const { calls, bundle } = await run(make, drip, { run: { timeoutMs: patienceMs }, server, of: small })
      expect(calls, name).toHaveLength(1)
      expect(bundle.compression.fallback, name).toMatch(/timeout; extractive wrote the whole$/)
    }))
})

it('a server that reports having read next to nothing is asked only once', async () => {
  const { calls, requests } = await run(
    makers[2]?.[1] as Make,
    { scenario: 'window', tokens: 10 },
    { of: medium },
  )
  expect(requests).toBe(1)
  expect(calls).toMatchObject([{ error: expect.stringMatching(/^prompt-too-long/) }])
})
