import { TenfoldError } from '@tenfold/core'
import OpenAI from 'openai'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { testStandIn } from '../../../../test/support/test-stand-in.ts'
import { openaiBatch } from '../../src/openai/openai-batch.ts'
import { openaiModel } from '../../src/openai/openai-model.ts'
import { openaiServer } from '../../src/openai/openai-server.ts'
import { billed, failureOf } from '../support/ask.ts'
import { ask, request } from './sample.ts'

const standIn = testStandIn('all')
afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

describe('the server and its key', () => {
  it('require a key for OpenAI itself: a call rejects, nothing is sent, and a batch is not made', async () => {
    vi.stubEnv('OPENAI_API_KEY', ' ')
    vi.stubEnv('OPENAI_BASE_URL', undefined)
    const { signal } = new AbortController()
    for (const options of [
      { model: 'm' },
      { model: 'm', apiKey: '' },
      { model: 'm', baseURL: 'https://eu.api.openai.com/v1' },
    ])
      expect(await failureOf(openaiModel(options)(request, { signal }))).toMatchObject({
        reason: 'auth',
        retryable: false,
        message: 'OpenAI was not asked: it needs an API key; set OPENAI_API_KEY, or pass apiKey',
      })
    await expect(openaiBatch({ model: 'm' })).rejects.toSatisfy(
      (error) => error instanceof TenfoldError && error.code === 'missing-api-key',
    )
  })

  it('mean the Responses API for OpenAI itself, in any region, and Chat Completions for others', () => {
    vi.stubEnv('OPENAI_API_KEY', 'key-of-openai')
    vi.stubEnv('OPENAI_BASE_URL', undefined)
    expect(openaiServer({})).toMatchObject({ api: 'responses', isOwn: true })
    expect(openaiServer({ baseURL: 'https://eu.api.openai.com/v1' })).toMatchObject({
      api: 'responses',
      isOwn: true,
    })
    expect(openaiServer({ api: 'chat' })).toMatchObject({ api: 'chat', isOwn: true })
    expect(openaiServer({ baseURL: 'http://127.0.0.1:1234/v1' })).toMatchObject({ api: 'chat', isOwn: false })
    expect(openaiServer({ baseURL: 'https://api.openai.com.evil.test/v1' })).toMatchObject({ isOwn: false })
    vi.stubEnv('OPENAI_BASE_URL', 'http://127.0.0.1:1234/v1')
    expect(openaiServer({})).toMatchObject({ api: 'chat', isOwn: false })
  })

  it('keep the key and the names of OpenAI from any other server', async () => {
    vi.stubEnv('OPENAI_API_KEY', 'key-of-openai')
    vi.stubEnv('OPENAI_ORG_ID', 'org-of-openai')
    vi.stubEnv('OPENAI_PROJECT_ID', 'project-of-openai')
    await ask({ model: 'm', baseURL: standIn.openaiUrl })
    expect(standIn.requests.at(-1)?.headers.authorization).toBe('Bearer none')
    expect(JSON.stringify(standIn.requests.at(-1)?.headers)).not.toContain('of-openai')
  })

  it('include the key of the environment for the server of the environment, or none if it has none', async () => {
    vi.stubEnv('OPENAI_BASE_URL', standIn.openaiUrl)
    vi.stubEnv('OPENAI_API_KEY', 'key-of-environment')
    await ask({ model: 'm' })
    expect(standIn.requests.at(-1)?.headers.authorization).toBe('Bearer key-of-environment')
    vi.stubEnv('OPENAI_API_KEY', '')
    await ask({ model: 'm' })
    expect(standIn.requests.at(-1)?.headers.authorization).toBe('Bearer none')
  })

  it('include the configured headers', async () => {
    await ask({ model: 'm', baseURL: standIn.openaiUrl, headers: { 'x-title': 'Tenfold' } })
    expect(standIn.requests.at(-1)?.headers['x-title']).toBe('Tenfold')
  })

  it('refuse a limit that makes no sense', () => {
    for (const idleTimeoutMs of [0, -1, Number.NaN])
      expect(() => openaiModel({ model: 'm', apiKey: 'k', idleTimeoutMs })).toThrow(TypeError)
  })

  it('write nothing to stdout, and nothing of an answer to stderr', async () => {
    vi.stubEnv('OPENAI_LOG', undefined)
    const written = [
      vi.spyOn(process.stdout, 'write'),
      vi.spyOn(process.stderr, 'write'),
      vi.spyOn(console, 'error'),
    ]
    await ask({ model: 'm', baseURL: standIn.openaiUrl })
    standIn.script(['stream_error', 500])
    await failureOf(ask({ model: 'm', baseURL: standIn.openaiUrl }))
    await failureOf(ask({ model: 'm', baseURL: standIn.openaiUrl }))
    expect(written.map((spy) => spy.mock.calls)).toEqual([[], [], []])
  })

  it('log to stderr on request', async () => {
    vi.stubEnv('OPENAI_LOG', 'debug')
    const spies = (['debug', 'info', 'log'] as const).map((level) => vi.spyOn(console, level))
    const stdout = vi.spyOn(process.stdout, 'write')
    const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    await ask({ model: 'm', baseURL: standIn.openaiUrl, apiKey: 'sk-secret-0123456789' })
    const logged = stderr.mock.calls.map(([text]) => String(text)).join('')
    expect(logged).toContain('/chat/completions')
    expect(logged).not.toContain('sk-secret')
    expect([stdout, ...spies].map((spy) => spy.mock.calls)).toEqual([[], [], [], []])
  })

  it('send store: false to OpenAI itself by Chat Completions too', async () => {
    const bodies: Record<string, unknown>[] = []
    const fetch: typeof globalThis.fetch = async (_url, init) => {
      bodies.push(JSON.parse(String(init?.body)))
      return Response.json({ choices: [{ message: { content: '{}' }, finish_reason: 'stop' }] })
    }
    const client = new OpenAI({ apiKey: 'k', baseURL: 'https://api.openai.com/v1', fetch })
    await ask({ model: 'm', client, api: 'chat', extra: { store: true } })
    expect(bodies[0]).toMatchObject({ store: false, max_completion_tokens: 4000 })
    expect('max_tokens' in (bodies[0] ?? {})).toBe(false)
  })
})

describe('a client of the caller', () => {
  const own = () => new OpenAI({ apiKey: 'k', baseURL: standIn.openaiUrl, maxRetries: 5 })

  it('makes no retries, which would be invisible and could not be stopped', async () => {
    for (const api of ['responses', 'chat'] as const) {
      standIn.script([{ scenario: 'status', code: 429, retryAfter: 3600 }])
      const before = standIn.requests.length
      const error = await failureOf(ask({ model: 'm', client: own(), api }))
      expect(error).toMatchObject({ reason: 'rate-limited', retryAfterMs: 3_600_000 })
      expect(standIn.requests.length - before).toBe(1)
    }
  })

  it('may have its own limit for the head of an answer', async () => {
    const client = new OpenAI({ apiKey: 'k', baseURL: standIn.openaiUrl, timeout: 100 })
    standIn.script(['stall_headers'])
    expect(await failureOf(ask({ model: 'm', client }))).toMatchObject({
      reason: 'timeout',
      retryable: true,
      usage: {},
    })
  })

  it('is abandoned when the signal aborts, even if it does not obey', async () => {
    const client = own()
    const never = () => new Promise(() => {}) as never
    client.chat.completions.create = never
    const control = new AbortController()
    const reason = new Error('stopped')
    const pending = ask({ model: 'm', client }, control.signal)
    control.abort(reason)
    await expect(pending).rejects.toBe(reason)
    expect(await failureOf(ask({ model: 'm', client, idleTimeoutMs: 50 }))).toMatchObject({
      reason: 'timeout',
    })
  })
})

/** A tracer wraps the client and returns a plain promise of the SDK's reading of the answer. */
describe('a wrapped client', () => {
  function wrapped(): OpenAI {
    const client = new OpenAI({ apiKey: 'k', baseURL: standIn.openaiUrl, logLevel: 'off' })
    for (const resource of [client.chat.completions, client.responses]) {
      const create = resource.create.bind(resource) as (...args: unknown[]) => PromiseLike<unknown>
      resource.create = (async (...args: unknown[]) => await create(...args)) as never
    }
    return client
  }

  const ways = (['responses', 'chat'] as const).flatMap((api) =>
    [true, false].map((stream) => ({ api, stream })),
  )

  it.each(ways)('works the same, $api, stream $stream', async ({ api, stream }) => {
    const options = { model: 'm', client: wrapped(), api, stream }
    standIn.script([{ scenario: 'ok', text: '{"a":1}' }])
    const reply = await ask(options)
    const { cacheWriteTokens, ...usage } = billed(standIn.bill.at(-1))
    expect(reply).toMatchObject({ text: '{"a":1}', stop: 'end', usage })
    for (const scenario of ['stream_cut', 'stream_reset'] as const) {
      standIn.script([scenario])
      expect(await failureOf(ask(options))).toMatchObject({ reason: 'cut-off', retryable: true })
    }
    standIn.script(['stream_error', 'spend_limit', 'stall'])
    expect(await failureOf(ask(options))).toMatchObject({ reason: 'server-error', retryable: true })
    expect(await failureOf(ask(options))).toMatchObject({ reason: 'spend-limit', retryable: false })
    expect(await failureOf(ask({ ...options, idleTimeoutMs: 150 }))).toMatchObject({
      reason: stream ? 'stalled' : 'timeout',
    })
  })

  it('continues while events come', async () => {
    standIn.script([{ scenario: 'drip', everyMs: 300 }])
    expect(await ask({ model: 'm', client: wrapped(), idleTimeoutMs: 1500 })).toMatchObject({ stop: 'end' })
  })
})
