import { beforeEach, describe, expect, it } from 'vitest'
import { type ScenarioLike, type StandIn, startStandIn } from '../../../../test/stand-in/index.ts'
import { testStandIn } from '../../../../test/support/test-stand-in.ts'
import type { ModelReply } from '../../src/provider/model.ts'
import { ask, billed, failureOf, prompt, request } from '../support/ask.ts'
import { key, type Times, type Vendor, vendors } from './vendors.ts'

const standIn = testStandIn('all')
beforeEach(() => standIn.always('ok'))

function callsOf({ make }: Vendor, server: StandIn) {
  async function call(scenario: ScenarioLike, times?: Times): Promise<ModelReply> {
    server.script([scenario])
    return await ask(make(server, times))
  }

  return {
    call,
    /** The failure of a call, which sends one request. */
    async failure(scenario: ScenarioLike, times?: Times) {
      const before = server.requests.length
      const error = await failureOf(call(scenario, times))
      expect(server.requests.length - before).toBe(1)
      for (const secret of [prompt, key]) expect(error.message).not.toContain(secret)
      expect(error.cause).toBeUndefined()
      return error
    },
    /** What was billed, as far as the vendor reports it. */
    bill({ usage }: Pick<ModelReply, 'usage'>) {
      const all = Object.entries(billed(server.bill.at(-1)))
      return Object.fromEntries(all.filter(([field]) => field in usage))
    },
  }
}

describe.each(vendors)('a call of $name', (vendor) => {
  const { name, streams, make } = vendor
  const isOllama = name === 'ollama'
  const { call, failure, bill } = callsOf(vendor, standIn)

  it('gives text, usage, model and the id of the request, with one request', async () => {
    const before = standIn.requests.length
    const reply = await call({
      scenario: 'ok',
      text: '{"goal":"x","decisions":[]}',
      cacheRead: 4,
      reasoning: 9,
    })
    expect(reply).toMatchObject({ text: '{"goal":"x","decisions":[]}', stop: 'end' })
    expect(reply.usage).toEqual(bill(reply))
    expect(Object.keys(reply.usage)).toEqual(expect.arrayContaining(['inputTokens', 'outputTokens']))
    if (!isOllama) expect(reply.usage).toMatchObject({ cacheReadTokens: 4, reasoningTokens: 9 })
    if (!isOllama) expect(reply.requestId).toBe(standIn.bill.at(-1)?.requestId)
    expect(reply.model).toMatch(/stand-in|claude-opus-5-5|qwen3/)
    expect(standIn.requests.length - before).toBe(1)
    expect(JSON.stringify(standIn.requests.at(-1)?.body)).toContain(JSON.stringify(request.schema.properties))
  })

  it.each([
    ['bad_schema', /unexpected/],
    ['prose', /^I have read/],
    ['fenced', /```json/],
    ['empty', /^$/],
    ['no_content_type', /^\{/],
  ] as const)('passes on %s as it is, for a repair, with what was billed', async (scenario, text) => {
    const reply = await call(scenario)
    expect(reply.stop).toBe('end')
    expect(reply.text).toMatch(text)
    expect(reply.usage).toEqual(bill(reply))
  })

  it('shows that an answer was cut at its limit, with its text', async () => {
    const reply = await call('max_tokens')
    expect(reply.stop).toBe('max-tokens')
    expect(reply.text.length).toBeGreaterThan(10)
    expect(reply.usage).toEqual(bill(reply))
  })

  it('does not read a missing usage as 0', async () => {
    expect(await call('no_usage')).toMatchObject({ stop: 'end', usage: {} })
  })

  it.each([
    [401, 'auth', false],
    [404, 'bad-request', false],
    [413, 'prompt-too-long', false],
    [429, 'rate-limited', true],
    [500, 'server-error', true],
    [529, 'overloaded', true],
    ['prompt_too_long', 'prompt-too-long', false],
    [{ scenario: 'status', code: 500, xShouldRetry: false }, 'server-error', false],
    [{ scenario: 'status', code: 400, xShouldRetry: true }, 'bad-request', true],
  ] as const)('reports %j as %s, after one request', async (scenario, reason, retryable) => {
    const error = await failure(scenario)
    expect(error).toMatchObject({ reason, retryable, usage: {}, retryAfterMs: undefined })
    if (!isOllama) expect(error.requestId).toMatch(/^req_/)
  })

  it.each([
    [90.5, 90_500],
    [{ ms: 90_250 }, 90_250],
  ] as const)(
    'reports the wait that is requested, %j, and does not wait',
    async (retryAfter, retryAfterMs) => {
      const started = performance.now()
      const error = await failure({ scenario: 'status', code: 429, retryAfter })
      expect(error).toMatchObject({ reason: 'rate-limited', retryable: true, retryAfterMs })
      expect(performance.now() - started).toBeLessThan(60_000)
    },
  )

  it('reports a connection that was reset or lost the reply, which may be billed', async () => {
    for (const scenario of ['connection_reset', 'lost_reply'] as const)
      expect(await failure(scenario)).toMatchObject({ reason: 'connection', retryable: true, usage: {} })
  })

  it('is worth one retry if nothing listens there', async () => {
    const gone = await startStandIn()
    await gone.close()
    const error = await failureOf(ask(make(gone)))
    expect(error).toMatchObject({ reason: 'connection', retryable: true, retryLimit: 1 })
    expect(error.message).toContain('ECONNREFUSED')
  })

  it.each(['stream_cut', 'stream_reset', 'stream_no_stop'] as const)(
    'accepts no answer from %s',
    async (scenario) => {
      if (!streams && scenario === 'stream_no_stop') return
      const error = await failure(scenario)
      expect(error).toMatchObject({ reason: 'cut-off', retryable: true })
      if (!isOllama) expect(error.requestId).toBe(standIn.bill.at(-1)?.requestId)
    },
  )

  if (streams)
    it('reports an error that the stream ends with', async () => {
      const error = await failure('stream_error')
      expect(['server-error', 'overloaded']).toContain(error.reason)
      expect(error.retryable).toBe(true)
    })
})

// These wait, so all vendors do at the same time, each on a server of its own.
describe('a call of each vendor', () => {
  async function ofEach(
    chosen: readonly Vendor[],
    check: (calls: ReturnType<typeof callsOf>, server: StandIn, vendor: Vendor) => Promise<void>,
  ): Promise<void> {
    await Promise.all(
      chosen.map(async (vendor) => {
        const server = await startStandIn()
        try {
          await check(callsOf(vendor, server), server, vendor)
        } finally {
          await server.close()
        }
      }),
    )
  }

  it('goes on while bytes come', () =>
    ofEach(
      vendors.filter(({ streams }) => streams),
      async ({ call }, _, { name }) => {
        const drip = { scenario: 'drip', everyMs: 300 } as const
        expect((await call(drip, { idleTimeoutMs: 1500 })).stop, name).toBe('end')
      },
    ))

  it.each([
    ['before the head', 'stall_headers', 'timeout'],
    ['after it', 'stall', 'stalled'],
  ] as const)('is given up if nothing comes %s, and on the server too', (_, scenario, reason) =>
    ofEach(vendors, async ({ failure }, server, { name }) => {
      // Long enough for the request to reach the server on a busy machine.
      const error = await failure(scenario, { idleTimeoutMs: 1500 })
      expect(error, name).toMatchObject({ reason, retryable: true })
      expect(error.message).toContain('idleTimeoutMs')
      await expect.poll(() => server.requests.at(-1)?.aborted).toBe(true)
    }),
  )

  it('is ended, and not worth a retry, if it takes longer than timeoutMs', () =>
    ofEach(vendors, async ({ failure }, _, { streams, name }) => {
      const slow = streams ? ({ scenario: 'drip', everyMs: 600 } as const) : 'stall'
      const error = await failure(slow, { timeoutMs: 1000 })
      expect(error, name).toMatchObject({ reason: 'timeout', retryLimit: 0 })
    }))

  it('rejects with the reason of the signal, before, while it waits and while it reads', () =>
    ofEach(vendors, async (_, server, { make }) => {
      const reason = new Error('stopped by the caller')
      await expect(ask(make(server), AbortSignal.abort(reason))).rejects.toBe(reason)
      expect(server.requests).toHaveLength(0)
      for (const scenario of ['stall_headers', 'stall', { scenario: 'slow', ms: 90_000 }] as const) {
        server.script([scenario])
        const sent = server.requests.length
        const control = new AbortController()
        const ended = expect(ask(make(server), control.signal)).rejects.toBe(reason)
        await expect.poll(() => server.requests.length).toBe(sent + 1)
        setTimeout(() => control.abort(reason), 100)
        await ended
        await expect.poll(() => server.requests.at(-1)?.aborted).toBe(true)
      }
    }))
})
