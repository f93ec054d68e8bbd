import { beforeEach, describe, expect, it } from 'vitest'
import type { ScenarioLike } from '../../../../test/stand-in/index.ts'
import { testStandIn } from '../../../../test/support/test-stand-in.ts'
import { type AnthropicOptions, anthropicModel } from '../../src/anthropic/anthropic-model.ts'
import { ask, failureOf, prompt } from '../support/ask.ts'

const key = 'sk-ant-test-0123456789abcdef'
const server = testStandIn('all', { keys: [key] })

let before = 0
beforeEach(() => {
  before = server.requests.length
})
const sent = () => server.requests.length - before

function claude(options: Partial<AnthropicOptions> = {}) {
  return anthropicModel({ model: 'claude-opus-5-5', apiKey: key, baseURL: server.url, ...options })
}

async function failure(scenario: ScenarioLike) {
  server.script([scenario])
  return await failureOf(ask(claude()))
}

describe('a refusal of the API', () => {
  it('is requested only once if the API is overloaded for good', async () => {
    server.always(529)
    try {
      const error = await failure(529)
      expect(error).toMatchObject({ reason: 'overloaded', retryable: true })
      expect(sent()).toBe(1)
    } finally {
      server.always(undefined)
    }
  })

  it('for a prompt that is too long is recognized by its wording, the only sign', async () => {
    const error = await failure('prompt_too_long')
    expect(error).toMatchObject({ reason: 'prompt-too-long', retryable: false })
    expect(error.message).toContain('prompt is too long')
    const other = {
      scenario: 'status',
      code: 400,
      message: 'input length and `max_tokens` exceed context limit: 9 + 9 > 10',
    } as const
    expect(await failure(other)).toMatchObject({ reason: 'prompt-too-long' })
  })

  it.each(['enforced_spend_limit_reached', 'contract_spend_limit_reached'])(
    'with 429 %s is a spend limit that no wait helps',
    async (errorCode) => {
      const error = await failure({ scenario: 'status', code: 429, errorCode, xShouldRetry: true })
      expect(error).toMatchObject({ reason: 'spend-limit', retryable: false })
      expect(sent()).toBe(1)
    },
  )

  it('with other codes of 429 is a rate limit', async () => {
    const error = await failure({ scenario: 'status', code: 429, errorCode: 'ramp_limit_exceeded' })
    expect(error).toMatchObject({ reason: 'rate-limited', retryable: true })
  })

  it('for lack of credit is a spend limit, also with status 400', async () => {
    const message = 'Your credit balance is too low to access the API.'
    expect(await failure({ scenario: 'status', code: 400, message })).toMatchObject({ reason: 'spend-limit' })
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
