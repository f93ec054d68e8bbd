import Anthropic from '@anthropic-ai/sdk'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { testFolder } from '../../../../test/support/test-folder.ts'
import { testStandIn } from '../../../../test/support/test-stand-in.ts'
import { type AnthropicOptions, anthropicModel } from '../../src/anthropic/anthropic-model.ts'
import { ask, billed, failureOf, prompt, request } from '../support/ask.ts'

const key = 'sk-ant-test-0123456789abcdef'
const server = testStandIn('all')
// The SDK looks for profiles there.
const empty = testFolder('all')()
beforeEach(() => {
  for (const name of ['API_KEY', 'AUTH_TOKEN', 'BASE_URL', 'PROFILE', 'CUSTOM_HEADERS', 'LOG'])
    vi.stubEnv(`ANTHROPIC_${name}`, undefined)
  vi.stubEnv('ANTHROPIC_CONFIG_DIR', empty)
  vi.stubEnv('HOME', empty)
})
afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

function claude(options: Partial<AnthropicOptions> = {}) {
  return anthropicModel({ model: 'claude-opus-5-5', baseURL: server.url, ...options })
}

const headers = () => server.requests.at(-1)?.headers ?? {}

describe('the request', () => {
  it('is streamed, with its schema and nothing about sampling', async () => {
    await ask(claude({ apiKey: key, effort: 'low' }))
    expect(server.requests.at(-1)?.body).toEqual({
      model: 'claude-opus-5-5',
      max_tokens: 30_000,
      system: request.system,
      messages: [{ role: 'user', content: prompt }],
      output_config: { format: { type: 'json_schema', schema: request.schema }, effort: 'low' },
      stream: true,
    })
  })

  it('has further parameters and headers', async () => {
    const extra = { metadata: { user_id: 'u' }, output_config: { effort: 'high' }, stream: false }
    await ask(claude({ apiKey: key, extra, headers: { 'x-team': 'tools' } }))
    expect(server.requests.at(-1)?.body).toMatchObject({
      metadata: { user_id: 'u' },
      output_config: { effort: 'high', format: { type: 'json_schema' } },
      stream: true,
    })
    expect(headers()['x-team']).toBe('tools')
  })

  it.each([
    ['an option', { apiKey: key }, {}],
    ['ANTHROPIC_API_KEY', {}, { ANTHROPIC_API_KEY: key }],
    ['ANTHROPIC_AUTH_TOKEN', {}, { ANTHROPIC_AUTH_TOKEN: key }],
    ['both variables: the key counts', {}, { ANTHROPIC_API_KEY: key, ANTHROPIC_AUTH_TOKEN: 'token' }],
    [
      'an option despite the variables',
      { apiKey: key },
      { ANTHROPIC_API_KEY: 'other', ANTHROPIC_AUTH_TOKEN: 't' },
    ],
  ])('has the key of %s as bearer', async (_, options, env) => {
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value)
    const warn = vi.spyOn(console, 'warn')
    await ask(claude(options))
    expect(headers().authorization).toBe(`Bearer ${key}`)
    expect(headers()).not.toHaveProperty('x-api-key')
    expect(headers()['anthropic-version']).toBe('2026-10-21')
    expect(warn).not.toHaveBeenCalled()
  })

  it('goes to the base URL of the environment', async () => {
    vi.stubEnv('ANTHROPIC_BASE_URL', server.url)
    expect((await ask(anthropicModel({ model: 'claude-opus-5-5', apiKey: key }))).stop).toBe('end')
  })
})

describe('the key', () => {
  it('is reported as missing, and nothing is sent', async () => {
    const before = server.requests.length
    const error = await failureOf(ask(claude()))
    expect(error).toMatchObject({ reason: 'auth', retryable: false, usage: {} })
    expect(error.message).toContain('ANTHROPIC_API_KEY')
    expect(server.requests.length).toBe(before)
  })

  it('is kept out of the message if no header can hold it', async () => {
    const error = await failureOf(ask(claude({ apiKey: `${key}\u0000` })))
    expect(error.reason).toBe('auth')
    expect(error.message).toContain('[key]')
    expect(error.message).not.toContain(key)
    expect(error.cause).toBeUndefined()
  })

  it('leads to an error if options contradict each other or are invalid', () => {
    const client = new Anthropic({ apiKey: key })
    expect(() => claude({ client })).toThrow(TypeError)
    expect(() => anthropicModel({ model: 'm', client, apiKey: key })).toThrow(TypeError)
    expect(() => claude({ model: '' })).toThrow(TypeError)
    expect(() => claude({ idleTimeoutMs: 0 })).toThrow(TypeError)
    expect(() => claude({ timeoutMs: Number.NaN })).toThrow(TypeError)
  })
})

describe('a client of the caller', () => {
  const client = () => new Anthropic({ apiKey: key, baseURL: server.url, logLevel: 'off' })
  const own = (options: Partial<AnthropicOptions> = {}) =>
    anthropicModel({ model: 'claude-opus-5-5', client: client(), ...options })

  it('answers', async () => {
    const reply = await ask(own())
    expect(reply.usage).toEqual(billed(server.bill.at(-1)))
  })

  it('does not retry, even if it does elsewhere', async () => {
    const before = server.requests.length
    server.script([529, 'ok'])
    const error = await failureOf(ask(own()))
    expect(error.reason).toBe('overloaded')
    expect(server.requests.length - before).toBe(1)
    await ask(own())
  })

  it('passes on pings', async () => {
    server.script([{ scenario: 'pings', n: 8, everyMs: 150 }])
    expect((await ask(own({ idleTimeoutMs: 1000 }))).stop).toBe('end')
  })

  it('is recognized by its fields if it comes from another copy of the SDK', async () => {
    const foreign = {
      messages: {
        create: () => {
          const fields = { status: 529, apiMessage: 'Overloaded', type: 'overloaded_error', errorCode: null }
          throw Object.assign(new Error('529 Overloaded'), fields)
        },
      },
    }
    const error = await failureOf(ask(own({ client: foreign as never })))
    expect(error).toMatchObject({ reason: 'overloaded', retryable: true })
  })
})

describe('the log of the client', () => {
  it('is empty by default', async () => {
    const out = vi.spyOn(process.stdout, 'write')
    const err = vi.spyOn(process.stderr, 'write')
    const spies = (['log', 'info', 'debug', 'warn', 'error'] as const).map((name) => vi.spyOn(console, name))
    server.script([529, 'stream_cut', 'ok'])
    for (let call = 0; call < 3; call++) await ask(claude({ apiKey: key })).catch(() => undefined)
    for (const spy of [out, err, ...spies]) expect(spy).not.toHaveBeenCalled()
  })

  it('goes to standard error if ANTHROPIC_LOG asks for it', async () => {
    vi.stubEnv('ANTHROPIC_LOG', 'debug')
    const out = vi.spyOn(process.stdout, 'write')
    const err = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    const spies = (['log', 'info', 'debug'] as const).map((name) => vi.spyOn(console, name))
    await ask(claude({ apiKey: key }))
    const written = err.mock.calls.map(([text]) => String(text)).join('')
    err.mockRestore()
    expect(written).toContain('sending request')
    expect(written).not.toContain(key)
    for (const spy of [out, ...spies]) expect(spy).not.toHaveBeenCalled()
  })
})

describe('an abort', () => {
  const reason = new Error('stopped by the caller')

  it('ends a call of a client that ignores it', async () => {
    const deaf = { messages: { create: () => ({ withResponse: () => new Promise(() => {}) }) } }
    const model = anthropicModel({ model: 'm', client: deaf as never })
    const control = new AbortController()
    setTimeout(() => control.abort(reason), 20)
    await expect(ask(model, control.signal)).rejects.toBe(reason)
  })

  it('leaves no listener behind', async () => {
    const control = new AbortController()
    const add = vi.spyOn(control.signal, 'addEventListener')
    const remove = vi.spyOn(control.signal, 'removeEventListener')
    await ask(claude({ apiKey: key }), control.signal)
    expect(add).toHaveBeenCalledTimes(1)
    expect(remove).toHaveBeenCalledTimes(1)
  })
})
