import { type SummarizerCall, SummarizerError, type TokenUsage } from '@tenfold/core'
import { addUsage } from '@tenfold/core/internal'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type ScenarioLike, sumOfBill } from '../../../../test/stand-in/index.ts'
import { testStandIn } from '../../../../test/support/test-stand-in.ts'
import { type OpenAISummarizerOptions, openaiSummarizer } from '../../src/openai/openai-summarizer.ts'
import { workRequest } from '../model/support/request.ts'
import { billed } from '../support/ask.ts'

const standIn = testStandIn('each')
afterEach(async () => {
  vi.unstubAllEnvs()
})

const { signal } = new AbortController()

function summarizerOf(options: Partial<OpenAISummarizerOptions> = {}) {
  return openaiSummarizer({
    model: 'stand-in',
    baseURL: standIn.openaiUrl,
    apiKey: 'sk-secret-0123456789',
    // Otherwise the marks in a prompt are random, and not all of the same length in tokens.
    random: () => 0.5,
    sleep: async () => {},
    ...options,
  })
}

/** Calls and error of a run; the error is undefined if it succeeded. */
async function run(
  scenarios: readonly ScenarioLike[],
  options: Partial<OpenAISummarizerOptions> = {},
  request = workRequest(),
): Promise<{ calls: readonly SummarizerCall[]; error?: SummarizerError }> {
  standIn.script(scenarios)
  try {
    return await summarizerOf(options).summarize(request, { signal })
  } catch (error) {
    if (!(error instanceof SummarizerError)) throw error
    return { calls: error.calls, error }
  }
}

function totalOf(calls: readonly SummarizerCall[]): TokenUsage {
  return calls.reduce<TokenUsage>((sum, { usage }) => addUsage(sum, usage), {})
}

const apis = ['responses', 'chat'] as const

describe.each(apis)('openaiSummarizer, %s', (api) => {
  // What each scenario of a server becomes is tested over all vendors, and what a summarizer makes of it over a fake.
  it.each<[string, ScenarioLike[], string | undefined]>([
    ['an answer in a code fence', ['fenced'], undefined],
    ['a repair after what does not fit the schema', ['bad_schema', 'ok'], undefined],
    ['a second try after too few tokens', ['max_tokens', 'ok'], undefined],
    ['an answer longer than what it summarizes', [{ scenario: 'inflated', chars: 60_000 }], 'inflated'],
    ['a try again after a status', [429, 500, 'ok'], undefined],
    ['no try again after a limit of money', ['spend_limit'], 'spend-limit'],
  ])('reports what the provider bills: %s', async (_, scenarios, reason) => {
    const { calls, error } = await run(scenarios, { api })
    expect(error?.reason).toBe(reason)
    expect(calls).toHaveLength(scenarios.length)
    expect(standIn.requests).toHaveLength(scenarios.length)
    const { cacheWriteTokens, ...sum } = billed({ usage: sumOfBill(standIn.bill) })
    expect(totalOf(calls)).toEqual(
      standIn.bill.length === 0 ? {} : api === 'chat' ? sum : { ...sum, cacheWriteTokens },
    )
  })

  it('retries after an answer that broke off, and marks its cost as unknown', async () => {
    const { calls, error } = await run(['stream_cut', 'ok'], { api })
    expect(error).toBeUndefined()
    expect(calls).toMatchObject([{ usage: {}, error: expect.any(String) }, {}])
    expect(calls[1]?.usage.inputTokens).toBe(standIn.bill.at(-1)?.usage.input)
  })

  it('writes neither key nor prompt into errors and ledger', async () => {
    for (const scenario of [401, 400, 'stream_error', 'prose', 'max_tokens', 'connection_reset'] as const) {
      const { error, calls } = await run([scenario], { api, maxRetries: 0, repair: false, outputLimit: 4096 })
      const told = JSON.stringify({ message: error?.message, calls })
      expect(told).not.toContain('sk-secret')
      expect(told).not.toContain('upload')
    }
    expect(standIn.received()).toContain('src/upload.ts')
  })
})

describe('openaiSummarizer', () => {
  it('falls back on a server without structured output, and stays there', async () => {
    const message = "'response_format.type' must be 'json_schema' or 'text'"
    standIn.script(['schema_unsupported', { scenario: 'status', code: 400, message }])
    const summarizer = summarizerOf({ name: 'vllm' })
    const first = await summarizer.summarize(workRequest(), { signal })
    expect(first.summary.overview).not.toBe('')
    const second = await summarizer.summarize(workRequest(), { signal })
    const formats = standIn.requests.map(
      ({ body }) => (body as { response_format?: { type: string } }).response_format?.type,
    )
    expect(formats).toEqual(['json_schema', 'json_object', undefined, undefined])
    // The refused request is not billed, but is in the ledger all the same.
    expect(first.calls.map(({ error }) => error?.split(':')[0])).toEqual([
      'bad-request',
      'bad-request',
      undefined,
    ])
    expect(second.calls.map(({ error }) => error)).toEqual([undefined])
    expect(standIn.bill).toHaveLength(2)
  })

  it('falls back even if no retries are allowed', async () => {
    const { error } = await run(['schema_unsupported', 'ok'], { maxRetries: 0 })
    expect(error).toBeUndefined()
  })

  it('knows the windows and tokens of OpenAI itself and of others', () => {
    vi.stubEnv('OPENAI_BASE_URL', undefined)
    const own = openaiSummarizer({ model: 'gpt-6-luna', apiKey: 'k', random: () => 0.5 })
    expect(own).toMatchObject({ name: 'openai', model: 'gpt-6-luna' })
    const { maxOutputTokens = 0 } = own.estimate?.(workRequest()) ?? {}
    expect(maxOutputTokens).toBeGreaterThan(6000)
    expect(maxOutputTokens).toBeLessThan(32_000)
    const whole = openaiSummarizer({ model: 'gpt-6-luna', apiKey: 'k', maxOutputTokens: 20_000 })
    expect(whole.estimate?.(workRequest())).toMatchObject({ maxOutputTokens: 20_000 })
    expect(own.contextWindow).toBeGreaterThan(180_000)
    expect(own.contextWindow).toBeLessThan((272_000 - 32_000) / 1.05)
    const tokensBy = (tokenFactor: number) =>
      summarizerOf({ tokenFactor }).estimate?.(workRequest()).inputTokens ?? 0
    expect(own.estimate?.(workRequest()).inputTokens).toBe(tokensBy(1.05))
    expect(summarizerOf().estimate?.(workRequest()).inputTokens).toBe(tokensBy(1.4))
    const other = summarizerOf({ name: 'lm-studio' })
    expect(other.name).toBe('lm-studio')
    expect(other.estimate?.(workRequest())).toMatchObject({ summarizer: 'lm-studio', maxOutputTokens: 4096 })
    expect(other.contextWindow).toBeLessThan((32_768 - 4096) / 1.4)
    expect(other.contextWindow).toBeGreaterThan(10_000)
    expect(summarizerOf({ api: 'responses' }).contextWindow).toBeGreaterThan(
      (summarizerOf().contextWindow ?? 0) * 4,
    )
    const larger = summarizerOf({ contextWindow: 131_072, maxOutputTokens: 8000 })
    expect(larger.contextWindow).toBeGreaterThan(60_000)
  })

  it('refuses a window that leaves no room', () => {
    expect(() => summarizerOf({ contextWindow: 6000 })).toThrow(RangeError)
  })
})
