import { createOpenAICompatible, type OpenAICompatibleProviderSettings } from '@ai-sdk/openai-compatible'
import { beforeEach, describe, expect, it } from 'vitest'
import type { ScenarioLike } from '../../../../test/stand-in/index.ts'
import { testStandIn } from '../../../../test/support/test-stand-in.ts'
import { type AiSdkOptions, aiSdkModel, aiSdkSummarizer } from '../../src/ai-sdk/index.ts'
import type { ModelControl } from '../../src/provider/model.ts'
import { workRequest } from '../model/support/request.ts'
import { request } from '../openai/sample.ts'
import { billed } from '../support/ask.ts'

const standIn = testStandIn('all')
beforeEach(() => standIn.always('ok'))

const modelOf = (settings: Partial<OpenAICompatibleProviderSettings> = {}) =>
  createOpenAICompatible({
    name: 'stand-in',
    baseURL: standIn.openaiUrl,
    apiKey: 'sk-abcdefghijklmnop',
    includeUsage: true,
    supportsStructuredOutputs: true,
    ...settings,
  })('stand-in')

async function call(
  scenario: ScenarioLike,
  options: Partial<AiSdkOptions> = {},
  control: Partial<ModelControl> = {},
) {
  standIn.script([scenario])
  const { signal } = new AbortController()
  return await aiSdkModel({ model: modelOf(), ...options })(request, { signal, ...control })
}

const bodyOf = (nth: number) => standIn.requests.at(nth)?.body as Record<string, unknown>

describe('aiSdkModel over a provider package', () => {
  it('gives text, usage with cache and reasoning, model and id, with one request', async () => {
    const before = standIn.requests.length
    let begun = 0
    const reply = await call(
      { scenario: 'ok', text: '{"goal":"x","open":null}', cacheRead: 4, reasoning: 9 },
      { temperature: 0, seed: 7, headers: { 'x-title': 'Tenfold' } },
      { onBegin: () => void begun++ },
    )
    expect(reply).toMatchObject({ text: '{"goal":"x","open":null}', stop: 'end', model: 'stand-in' })
    const { cacheWriteTokens: _, ...usage } = billed(standIn.bill.at(-1))
    expect(reply.usage).toEqual(usage)
    expect(reply.usage).toMatchObject({ cacheReadTokens: 4, reasoningTokens: 9 })
    expect(reply.requestId).toBe(standIn.bill.at(-1)?.requestId)
    expect(begun).toBe(1)
    expect(standIn.requests.length - before).toBe(1)
    expect(standIn.requests.at(-1)?.headers['x-title']).toBe('Tenfold')
    expect(bodyOf(-1)).toMatchObject({
      temperature: 0,
      seed: 7,
      max_tokens: 4000,
      response_format: { type: 'json_schema', json_schema: { name: 'summary', schema: request.schema } },
      messages: [
        { role: 'system', content: request.system },
        { role: 'user', content: request.messages[0]?.text },
      ],
    })
  })

  it.each([
    ['max_tokens', 'max-tokens'],
    ['content_filter', 'content-filter'],
    ['refusal', 'content-filter'],
    ['bad_schema', 'end'],
    ['prose', 'end'],
    ['empty', 'end'],
  ] as const)('returns %j as stop %s', async (scenario, stop) => {
    expect((await call(scenario)).stop).toBe(stop)
  })

  it('asks in the next way if the server takes no schema, and so from then on', async () => {
    standIn.always('schema_unsupported')
    const model = aiSdkModel({ model: modelOf() })
    const refused: string[] = []
    const control = {
      signal: new AbortController().signal,
      onRefused: (error: Error) => void refused.push(error.message),
    }
    for (let times = 0; times < 2; times++) {
      expect((await model(request, control)).stop).toBe('end')
      expect(bodyOf(-1)).toMatchObject({ response_format: { type: 'json_object' } })
      expect(JSON.stringify(bodyOf(-1).messages)).toContain('JSON Schema')
    }
    expect(refused).toHaveLength(1)
  })

  it('puts the schema into words for a model that reports that it takes none', async () => {
    await call('ok', { model: modelOf({ supportsStructuredOutputs: false }) })
    expect(bodyOf(-1)).toMatchObject({ response_format: { type: 'json_object' } })
    expect(JSON.stringify(bodyOf(-1).messages)).toContain('JSON Schema')
  })
})

describe('aiSdkSummarizer over a provider package', () => {
  it('retries by itself, each call in the ledger with what was billed', async () => {
    standIn.script([503, 'ok'])
    const before = standIn.bill.length
    const summarizer = aiSdkSummarizer({ model: modelOf(), sleep: async () => {} })
    const { calls } = await summarizer.summarize(workRequest(), { signal: new AbortController().signal })
    expect(calls.map(({ error }) => error?.split(':')[0])).toEqual(['overloaded', undefined])
    expect(calls[1]?.usage.inputTokens).toBe(standIn.bill.at(-1)?.usage.input)
    expect(standIn.bill.length - before).toBe(1)
    expect(summarizer).toMatchObject({ name: 'ai-sdk', model: 'stand-in' })
  })
})
