import { describe, expect, it } from 'vitest'
import type { ScenarioLike } from '../../../../test/stand-in/index.ts'
import { testStandIn } from '../../../../test/support/test-stand-in.ts'
import { type AnthropicOptions, anthropicModel } from '../../src/anthropic/anthropic-model.ts'
import { ask, billed, billedInput, failureOf, prompt } from '../support/ask.ts'

const server = testStandIn('all')

const key = 'sk-ant-test-0123456789abcdef'

function claude(options: Partial<AnthropicOptions> = {}) {
  return anthropicModel({ model: 'claude-opus-5-5', apiKey: key, baseURL: server.url, ...options })
}

async function answer(scenario: ScenarioLike, options: Partial<AnthropicOptions> = {}) {
  server.script([scenario])
  return await ask(claude(options))
}

async function failure(scenario: ScenarioLike, options: Partial<AnthropicOptions> = {}) {
  server.script([scenario])
  return await failureOf(ask(claude(options)))
}

const cached = { cacheRead: 7, cacheWrite: 5, reasoning: 10 }

describe('an answer and its cost', () => {
  it.each([
    ['a refusal without a word', 'refusal', 'refusal', ''],
    ['a refusal in prose', 'refusal_text', 'refusal', "I can't help with that."],
  ] as const)('show %s', async (_, scenario, stop, text) => {
    const reply = await answer({ scenario, ...cached })
    expect(reply).toMatchObject({ stop, text })
    expect(reply.usage).toEqual(billed(server.bill.at(-1)))
  })

  it.each([['context_exceeded', 'context-exceeded']] as const)(
    'show that %s cut the answer, with its text',
    async (scenario, stop) => {
      const reply = await answer({ scenario, ...cached })
      expect(reply.stop).toBe(stop)
      expect(reply.text).toMatch(/^\{/)
      expect(() => JSON.parse(reply.text)).toThrow()
      expect(reply.usage).toEqual(billed(server.bill.at(-1)))
    },
  )

  it('are read from JSON in two blocks of text', async () => {
    const reply = await answer({ scenario: 'two_text_blocks', ...cached })
    expect(JSON.parse(reply.text)).toHaveProperty('goal')
    expect(reply.usage).toEqual(billed(server.bill.at(-1)))
  })
})

describe('an answer that breaks off', () => {
  it.each([
    ['reset', 'stream_reset', 'cut-off'],
    ['cut clean', 'stream_cut', 'cut-off'],
    ['ended by an overload', 'stream_error', 'overloaded'],
  ] as const)('keeps what is known of the usage of a stream that is %s', async (_, scenario, reason) => {
    const error = await failure({ scenario, ...cached })
    expect(error).toMatchObject({ reason, retryable: true, model: 'claude-opus-5-5' })
    expect(error.requestId).toBe(server.bill.at(-1)?.requestId)
    // The number of written tokens is reported only at the end: it is unknown, not 1.
    expect(error.usage).toEqual(billedInput(server.bill.at(-1)))
  })

  it('is reported as a failure of the server after an error of an unspecific type', async () => {
    const error = await failure({ scenario: 'stream_error', type: 'strange_error' })
    expect(error).toMatchObject({ reason: 'server-error', retryable: true })
    expect(error.usage).toEqual(billedInput(server.bill.at(-1)))
  })

  it('is incomplete without message_stop, although all of its usage is known', async () => {
    const error = await failure({ scenario: 'stream_no_stop', ...cached })
    expect(error).toMatchObject({ reason: 'cut-off', retryable: true })
    expect(error.usage).toEqual(billed(server.bill.at(-1)))
  })
})

describe('a refusal of the API', () => {
  it.each(['enforced_spend_limit_reached', 'contract_spend_limit_reached'])(
    'with 429 %s is a spend limit that no wait helps',
    async (errorCode) => {
      const error = await failure({ scenario: 'status', code: 429, errorCode, xShouldRetry: true })
      expect(error).toMatchObject({ reason: 'spend-limit', retryable: false })
    },
  )

  it('with other codes of 429 is a rate limit', async () => {
    const error = await failure({ scenario: 'status', code: 429, errorCode: 'ramp_limit_exceeded' })
    expect(error).toMatchObject({ reason: 'rate-limited', retryable: true })
  })

  it('is reported without the key and without all that the API says', async () => {
    const message = `bad key ${key} and sk-ant-api03-AAAABBBBCCCCDDDD ${'blah '.repeat(200)}\n${prompt}`
    const error = await failure({ scenario: 'status', code: 401, message })
    expect(error.message).toMatch(
      /^Anthropic answered 401, authentication_error: bad key \[key\] and \[key\] blah/,
    )
    expect(error.message.length).toBeLessThan(450)
    for (const secret of [key, 'AAAABBBB', prompt]) expect(error.message).not.toContain(secret)
    expect(error.cause).toBeUndefined()
  })
})

describe('a connection', () => {
  it('to an invalid base URL is reported', async () => {
    const error = await failureOf(ask(claude({ baseURL: 'nonsense' })))
    expect(error).toMatchObject({ reason: 'bad-request', retryable: false })
  })
})
