import Anthropic from '@anthropic-ai/sdk'
import { Ollama } from 'ollama'
import OpenAI from 'openai'
import { beforeEach, describe, expect, it } from 'vitest'
import { type ScenarioLike, scenarioNames, toScenario } from '../stand-in/index.ts'
import { testStandIn } from '../support/test-stand-in.ts'
import { chat, completion, message, response, whole } from './stand-in-requests.ts'

const standIn = testStandIn('each')
let claude: Anthropic
let gpt: OpenAI
let llama: Ollama
beforeEach(async () => {
  claude = new Anthropic({ apiKey: 'sk-test', baseURL: standIn.url, maxRetries: 0, logLevel: 'off' })
  gpt = new OpenAI({ apiKey: 'sk-test', baseURL: standIn.openaiUrl, maxRetries: 0, logLevel: 'off' })
  llama = new Ollama({ host: standIn.url })
})

const half = whole.slice(0, Math.floor(whole.length / 2))

describe('an unusable answer', () => {
  it.each<[ScenarioLike, stop: string, text: string | RegExp]>([
    ['refusal', 'refusal', ''],
    ['refusal_text', 'refusal', /can't help/],
    ['max_tokens', 'max_tokens', half],
    ['context_exceeded', 'model_context_window_exceeded', half],
    ['content_filter', 'refusal', ''],
    ['bad_schema', 'end_turn', /^\{"unexpected"/],
    ['prose', 'end_turn', /^I have read/],
    ['fenced', 'end_turn', /^Here is [^`]*```json\n\{.*\}\n```\n/],
    ['empty', 'end_turn', ''],
    ['two_text_blocks', 'end_turn', `I have read the session. ${whole}`],
  ])('comes from Anthropic: %j', async (scenario, stop, text) => {
    standIn.script([scenario, scenario])
    const one = await claude.messages.create(message)
    const streamed = await claude.messages.stream(message).finalMessage()
    for (const reply of [one, streamed]) {
      expect(reply.stop_reason).toBe(stop)
      expect(reply.stop_details?.type).toBe(stop === 'refusal' ? 'refusal' : undefined)
      const all = reply.content.map((block) => (block.type === 'text' ? block.text : '')).join('')
      if (typeof text === 'string') expect(all).toBe(text)
      else expect(all).toMatch(text)
    }
    // All of these are billed, with the figures of the reply.
    expect(standIn.bill.map((entry) => entry.usage.output)).toEqual(
      [one, streamed].map((reply) => reply.usage.output_tokens),
    )
    expect(standIn.bill.every((entry) => entry.sent === 'whole')).toBe(true)
  })

  it.each<[ScenarioLike, status: string, reason: string | undefined, finish: string]>([
    ['refusal', 'completed', undefined, 'stop'],
    ['max_tokens', 'incomplete', 'max_output_tokens', 'length'],
    ['content_filter', 'incomplete', 'content_filter', 'content_filter'],
    ['incomplete', 'incomplete', undefined, 'length'],
  ])('comes from OpenAI: %j', async (scenario, status, reason, finish) => {
    standIn.always(scenario)
    const one = await gpt.responses.create(response)
    const streamed = await gpt.responses.stream(response).finalResponse()
    for (const reply of [one, streamed]) {
      expect(reply.status).toBe(status)
      expect(reply.incomplete_details?.reason).toBe(reason)
      expect(JSON.stringify(reply.output).includes('"refusal"')).toBe(scenario === 'refusal')
      expect(reply.usage?.output_tokens).toBe(standIn.bill[0]?.usage.output)
    }
    const chosen = await gpt.chat.completions.create(completion)
    expect(chosen.choices[0]?.finish_reason).toBe(finish)
    expect(chosen.choices[0]?.message.refusal !== null).toBe(scenario === 'refusal')
    expect(chosen.usage?.completion_tokens).toBe(standIn.bill[2]?.usage.output)
  })

  it('is billed and gives the reason if a response failed; elsewhere it is a 500', async () => {
    standIn.always('failed')
    const failed = await gpt.responses.create(response)
    expect(failed).toMatchObject({ status: 'failed', error: { code: 'server_error' } })
    const events: string[] = []
    for await (const event of await gpt.responses.create({ ...response, stream: true }))
      events.push(event.type)
    expect(events.at(-1)).toBe('response.failed')
    expect(standIn.bill).toHaveLength(2)
    await expect(claude.messages.create(message)).rejects.toBeInstanceOf(Anthropic.InternalServerError)
    expect(standIn.bill).toHaveLength(2)
  })

  it('is cut by Ollama with its reason', async () => {
    standIn.script(['max_tokens', 'refusal', 'no_usage'])
    expect(await llama.chat(chat)).toMatchObject({ done_reason: 'length', message: { content: half } })
    expect((await llama.chat(chat)).message.content).toContain("can't help")
    expect((await llama.chat(chat)).prompt_eval_count).toBeUndefined()
  })

  it('has long strings but stays valid and within max_tokens', async () => {
    standIn.always('inflated')
    const big = JSON.parse((await gpt.chat.completions.create(completion)).choices[0]?.message.content ?? '')
    expect(big).toMatchObject({ by: 'user', note: null, nextSteps: [{ evidence: ['e7'] }] })
    expect(big.summary.length).toBeGreaterThan(20_000)
    const small = await claude.messages.create({ ...message, max_tokens: 2000 })
    expect(small.stop_reason).toBe('end_turn')
    expect(small.usage.output_tokens).toBeLessThanOrEqual(2000)
    expect(JSON.stringify(small.content).length).toBeGreaterThan(4000)
  })

  it('lacks usage, or the content type', async () => {
    standIn.script(['no_usage', 'no_content_type'])
    expect((await gpt.chat.completions.create(completion)).usage).toBeUndefined()
    expect(typeof (await gpt.chat.completions.create(completion))).toBe('string')
    expect(standIn.bill).toHaveLength(2)
  })

  it('ignores all but the last tokens and does not say so', async () => {
    standIn.always({ scenario: 'window', tokens: 40 })
    const reply = await gpt.chat.completions.create(completion)
    expect(reply.usage?.prompt_tokens).toBe(40)
    expect(reply.choices[0]?.message.content).not.toContain('parser for dates')
  })
})

describe('an error before the reply', () => {
  it.each([
    [400, Anthropic.BadRequestError, OpenAI.BadRequestError],
    [401, Anthropic.AuthenticationError, OpenAI.AuthenticationError],
    [402, Anthropic.PaymentRequiredError, OpenAI.APIError],
    [403, Anthropic.PermissionDeniedError, OpenAI.PermissionDeniedError],
    [404, Anthropic.NotFoundError, OpenAI.NotFoundError],
    [408, Anthropic.RequestTimeoutError, OpenAI.APIError],
    [409, Anthropic.ConflictError, OpenAI.ConflictError],
    [413, Anthropic.ContentTooLargeError, OpenAI.APIError],
    [429, Anthropic.RateLimitError, OpenAI.RateLimitError],
    [500, Anthropic.InternalServerError, OpenAI.InternalServerError],
    [503, Anthropic.ServiceUnavailableError, OpenAI.InternalServerError],
    [529, Anthropic.OverloadedError, OpenAI.InternalServerError],
  ])('has status %i, unbilled', async (status, ofClaude, ofGpt) => {
    standIn.always(status)
    const first = await claude.messages.create(message).catch((error: unknown) => error)
    expect(first).toBeInstanceOf(ofClaude)
    expect(first).toMatchObject({
      status,
      requestID: expect.stringMatching(/^req_/),
      type: expect.any(String),
    })
    const second = await gpt.responses.create(response).catch((error: unknown) => error)
    expect(second).toBeInstanceOf(ofGpt)
    expect(second).toMatchObject({ status, requestID: expect.stringMatching(/^req_/) })
    await expect(llama.chat(chat)).rejects.toMatchObject({ status_code: status })
    expect(standIn.bill).toEqual([])
    expect(standIn.requests.map((request) => request.status)).toEqual([status, status, status])
  })

  it('gives the time to wait in all three ways', async () => {
    const date = new Date('2026-11-20T10:00:00Z')
    for (const [retryAfter, name, value] of [
      [7, 'retry-after', '7'],
      [{ ms: 250 }, 'retry-after-ms', '250'],
      [date, 'retry-after', 'Fri, 20 Nov 2026 10:00:00 GMT'],
    ] as const) {
      standIn.script([{ scenario: 'status', code: 429, retryAfter, xShouldRetry: false }])
      const error = await claude.messages.create(message).catch((thrown: unknown) => thrown)
      const { headers } = error as InstanceType<typeof Anthropic.APIError>
      expect([headers?.get(name), headers?.get('x-should-retry')]).toEqual([value, 'false'])
    }
  })

  it('lets the SDK retry, one scenario per try', async () => {
    standIn.script([{ scenario: 'status', code: 529, retryAfter: { ms: 1 } }, 'ok'])
    const again = new Anthropic({ apiKey: 'k', baseURL: standIn.url, maxRetries: 1, logLevel: 'off' })
    await again.messages.create(message)
    expect(standIn.requests.map(({ headers }) => headers['x-stainless-retry-count'])).toEqual(['0', '1'])
    expect(standIn.bill).toHaveLength(1)
  })

  it('distinguishes spend limits from rate limits', async () => {
    standIn.always('spend_limit')
    await expect(claude.messages.create(message)).rejects.toBeInstanceOf(
      Anthropic.EnforcedSpendLimitReachedError,
    )
    await expect(gpt.responses.create(response)).rejects.toMatchObject({
      status: 429,
      code: 'insufficient_quota',
    })
  })

  it('may mean a prompt that is too long', async () => {
    standIn.always('prompt_too_long')
    await expect(claude.messages.create(message)).rejects.toThrow(
      /prompt is too long: \d+ tokens > \d+ maximum/,
    )
    await expect(gpt.responses.create(response)).rejects.toMatchObject({ code: 'context_length_exceeded' })
    standIn.always({ scenario: 'prompt_too_long_above', tokens: 50 })
    await expect(claude.messages.create(message)).rejects.toThrow('> 50 maximum')
    standIn.always({ scenario: 'prompt_too_long_above', tokens: 5000 })
    expect((await claude.messages.create(message)).stop_reason).toBe('end_turn')
  })

  it('refuses structured output as long as it is requested', async () => {
    standIn.always({ scenario: 'schema_unsupported', jsonObject: true })
    const { response_format: _, ...plain } = completion
    await expect(gpt.chat.completions.create(completion)).rejects.toMatchObject({
      status: 400,
      param: 'response_format',
    })
    await expect(
      gpt.chat.completions.create({ ...plain, response_format: { type: 'json_object' } }),
    ).rejects.toThrow('json_object')
    expect((await gpt.chat.completions.create(plain)).choices).toHaveLength(1)
    await expect(llama.chat(chat)).rejects.toThrow('format')
  })
})

describe('scenarios', () => {
  it('come from the header, the queue, the path, then from always', async () => {
    standIn.always(500)
    standIn.script([503])
    standIn.scriptFor('GET /v1/models', [404])
    const statusOf = (call: Promise<unknown>) =>
      call.then(
        () => 200,
        (error: { status: number }) => error.status,
      )
    const header = { headers: { 'x-scenario': '{"scenario":"status","code":409}' } }
    expect(await statusOf(claude.messages.create(message, header))).toBe(409)
    expect(await statusOf(claude.models.list())).toBe(404)
    expect(await statusOf(claude.models.list())).toBe(200)
    expect(await statusOf(claude.messages.create(message))).toBe(503)
    expect(await statusOf(claude.messages.create(message))).toBe(500)
  })

  it('are rejected if a name is wrong or a number missing', async () => {
    expect(() => standIn.script(['no_such' as 'ok'])).toThrow(TypeError)
    expect(() => standIn.always('slow')).toThrow(/ms/)
    expect(scenarioNames).toContain('stall_headers')
    expect(toScenario(429)).toEqual({ scenario: 'status', code: 429 })
    const header = { headers: { 'x-scenario': 'no_such' } }
    await expect(claude.messages.create(message, header)).rejects.toMatchObject({ status: 501 })
  })
})
