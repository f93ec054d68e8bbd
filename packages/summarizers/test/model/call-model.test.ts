import { type SummarizerCall, SummarizerError } from '@tenfold/core'
import { describe, expect, it } from 'vitest'
import { type CallModelOptions, callModel } from '../../src/model/call-model.ts'
import {
  type Model,
  ModelError,
  type ModelReply,
  type ModelRequest,
  modelMessage,
} from '../../src/provider/model.ts'
import { replyOf, scriptedModel } from './support/fake-model.ts'

const request: ModelRequest = {
  system: 's',
  messages: [modelMessage('user', 'u')],
  schema: {},
  schemaName: 'x',
  maxOutputTokens: 100,
  inputTokens: 50,
}

const overloaded = (options: object = {}) =>
  new ModelError('busy', { reason: 'overloaded', retryable: true, usage: { inputTokens: 3 }, ...options })

type Script = Parameters<typeof scriptedModel>[0]

function run(
  script: Script,
  options: Partial<CallModelOptions<string>> = {},
  signal = new AbortController().signal,
) {
  const model = scriptedModel(script)
  const waits: number[] = []
  const calls: SummarizerCall[] = []
  const told: SummarizerCall[] = []
  const admitted: number[] = []
  const result = callModel(request, {
    call: model.call,
    summarizer: 'fake',
    model: 'm-1',
    purpose: 'summarize',
    calls,
    read: (reply) => reply.text,
    sleep: async (ms) => {
      waits.push(ms)
    },
    random: () => 1,
    control: {
      signal,
      onCall: (call) => told.push(call),
      admit: ({ maxOutputTokens }) => void admitted.push(maxOutputTokens),
    },
    ...options,
  })
  return { ...model, waits, calls, told, admitted, result }
}

const rejects = async (reason: ModelError['reason']) => (reply: ModelReply) => {
  throw new ModelError(`is ${reason}`, { reason, usage: reply.usage })
}

describe('callModel', () => {
  it('returns what is read of the reply, and reports the call', async () => {
    const reply = replyOf('fine', {
      requestId: 'req_1',
      model: 'm-1-2026',
      usage: { inputTokens: 9, outputTokens: 2 },
    })
    const { result, calls, told, admitted } = run([reply])
    expect(await result).toBe('fine')
    expect(calls).toEqual([
      {
        summarizer: 'fake',
        model: 'm-1-2026',
        purpose: 'summarize',
        requestId: 'req_1',
        stop: 'end',
        durationMs: expect.any(Number),
        usage: { inputTokens: 9, outputTokens: 2 },
      },
    ])
    expect(told).toEqual(calls)
    expect(admitted).toEqual([100])
  })

  it('retries temporary failures, with growing waits, and keeps every call', async () => {
    const { result, waits, calls, billed, admitted } = run([
      ...Array(4).fill(overloaded()),
      replyOf('at last'),
    ])
    expect(await result).toBe('at last')
    expect(waits).toEqual([1000, 2000, 4000, 8000])
    expect(calls.map(({ usage }) => usage)).toEqual(billed)
    expect(calls.map(({ error }) => error)).toEqual([...Array(4).fill('overloaded: busy'), undefined])
    expect(admitted).toHaveLength(5)
  })

  it('spreads the waits over their whole length, up to 30 s', async () => {
    const script = [...Array(8).fill(overloaded()), replyOf('x')]
    const { result, waits } = run(script, { maxRetries: 8, random: () => 0.5 })
    await result
    expect(waits).toEqual([500, 1000, 2000, 4000, 8000, 15_000, 15_000, 15_000])
  })

  it('gives up after maxRetries, with the last error', async () => {
    const { result, calls } = run(Array(9).fill(overloaded()), { maxRetries: 2 })
    await expect(result).rejects.toMatchObject({ reason: 'overloaded', retryable: true })
    expect(calls).toHaveLength(3)
  })

  it('waits as long as the provider asks, up to a limit', async () => {
    const { result, waits } = run([
      overloaded({ retryAfterMs: 90_000 }),
      overloaded({ retryAfterMs: 10 }),
      replyOf('x'),
    ])
    await result
    expect(waits).toEqual([90_000, 2000])
    const late = run([overloaded({ retryAfterMs: 3_600_000 }), replyOf('x')])
    await expect(late.result).rejects.toMatchObject({
      message: 'busy; the provider asks to wait 3600 s, more than the 120 s that a call waits',
      reason: 'overloaded',
      retryable: true,
      retryAfterMs: 3_600_000,
    })
    expect([late.calls.length, late.waits.length]).toEqual([1, 0])
  })

  it('retries once if no server listens, and no more', async () => {
    const refused = new ModelError('not reached', { reason: 'connection', retryable: true, retryLimit: 1 })
    const { result, waits, calls } = run(Array(9).fill(refused))
    await expect(result).rejects.toMatchObject({ reason: 'connection', retryable: true })
    expect([calls.length, waits]).toEqual([2, [1000]])
    const none = run([refused], { maxRetries: 0 })
    await expect(none.result).rejects.toThrow('not reached')
    expect(none.calls).toHaveLength(1)
  })

  it('knows from its codes whether a failed fetch is worth more tries', async () => {
    const failed = (code: string) =>
      new TypeError('fetch failed', { cause: Object.assign(new Error('x'), { code }) })
    const tries = async (code: string) => {
      const { result, calls } = run(Array(9).fill(failed(code)))
      await result.catch(() => undefined)
      return calls.length
    }
    for (const code of ['ECONNREFUSED', 'ENOTFOUND', 'CERT_HAS_EXPIRED']) expect(await tries(code)).toBe(2)
    for (const code of ['ECONNRESET', 'EAI_AGAIN', 'UND_ERR_SOCKET']) expect(await tries(code)).toBe(5)
  })

  it.each(['auth', 'spend-limit', 'bad-request', 'prompt-too-long', 'refused'] as const)(
    'never tries %s again, no matter what it says',
    async (reason) => {
      const { result, calls } = run([new ModelError('no', { reason, retryable: true }), replyOf('x')])
      await expect(result).rejects.toMatchObject({ reason })
      expect(calls).toHaveLength(1)
    },
  )

  it('does not retry what is not retryable', async () => {
    const { result, calls } = run([new ModelError('no', { reason: 'server-error' }), replyOf('x')])
    await expect(result).rejects.toMatchObject({ reason: 'server-error' })
    expect(calls).toHaveLength(1)
  })

  it('treats a failed fetch as a lost connection, and other errors as unknown, without their words', async () => {
    const lost = run([new TypeError('fetch failed'), replyOf('x')])
    expect(await lost.result).toBe('x')
    expect(lost.calls[0]).toMatchObject({
      error: expect.stringMatching(/^connection: the server was not reached/),
      usage: {},
    })
    const cause = new Error('key sk-123 of prompt')
    const broken = run([cause, replyOf('x')])
    await expect(broken.result).rejects.toMatchObject({ reason: 'unknown', retryable: false, cause })
    expect(JSON.stringify(broken.calls)).not.toContain('sk-123')
    expect(broken.calls).toHaveLength(1)
  })

  it('asks once more, with twice the room, if the answer was cut at its limit', async () => {
    const cut = replyOf('{', { stop: 'max-tokens' })
    const read = (reply: ModelReply) => {
      if (reply.stop === 'end') return reply.text
      throw new ModelError('cut', { reason: 'truncated', usage: reply.usage })
    }
    const twice = run([cut, replyOf('whole')], { read, outputLimit: 1000 })
    expect(await twice.result).toBe('whole')
    expect(twice.requests.map(({ maxOutputTokens }) => maxOutputTokens)).toEqual([100, 200])
    expect(twice.admitted).toEqual([100, 200])
    expect(twice.calls.map(({ stop, error }) => [stop, error])).toEqual([
      ['max-tokens', 'truncated: cut'],
      ['end', undefined],
    ])
    const capped = run([cut, cut, replyOf('x')], { read, outputLimit: 150 })
    await expect(capped.result).rejects.toMatchObject({ reason: 'truncated' })
    expect(capped.requests.map(({ maxOutputTokens }) => maxOutputTokens)).toEqual([100, 150])
    for (const options of [{ read }, { read, outputLimit: 100 }]) {
      const { result, requests } = run([cut, replyOf('x')], options)
      await expect(result).rejects.toMatchObject({ reason: 'truncated' })
      expect(requests).toHaveLength(1)
    }
    const full = run([replyOf('{', { stop: 'context-exceeded' }), replyOf('x')], { read, outputLimit: 1000 })
    await expect(full.result).rejects.toMatchObject({ reason: 'truncated' })
    expect(full.requests).toHaveLength(1)
  })

  it('asks once more if the answer was empty, and no more than once', async () => {
    const read = await rejects('empty')
    const { result, calls, waits, billed } = run([replyOf(''), replyOf(''), replyOf('')], { read })
    await expect(result).rejects.toMatchObject({ reason: 'empty' })
    expect(calls.map(({ usage }) => usage)).toEqual(billed)
    expect([calls.length, waits.length]).toEqual([2, 0])
  })

  it.each(['refused', 'content-filter', 'inflated', 'invalid-output'] as const)(
    'leaves an answer that is %s to its caller',
    async (reason) => {
      const { result, calls } = run([replyOf('x'), replyOf('y')], { read: await rejects(reason) })
      await expect(result).rejects.toMatchObject({ reason })
      expect(calls).toMatchObject([
        { stop: 'end', error: `${reason}: is ${reason}`, usage: { inputTokens: 2500 } },
      ])
    },
  )

  it('notices that a server cut the input silently, and keeps what it billed', async () => {
    const cut = replyOf('x', { usage: { inputTokens: 2048, outputTokens: 5 } })
    const { result, calls } = run([cut, replyOf('y')], { minInputTokens: 5000 })
    await expect(result).rejects.toMatchObject({
      reason: 'prompt-too-long',
      message: expect.stringContaining('2048'),
    })
    expect(calls).toMatchObject([{ usage: { inputTokens: 2048, outputTokens: 5 } }])
    for (const [usage, minInputTokens] of [
      [{ inputTokens: 2600 }, 5000],
      [{ inputTokens: 20, cacheReadTokens: 4000 }, 5000],
      [{ outputTokens: 5 }, 5000],
      [{ inputTokens: 20 }, 1999],
    ] as const)
      expect(await run([replyOf('fine', { usage })], { minInputTokens }).result).toBe('fine')
  })

  it('leaves unknown values absent', async () => {
    const odd = {
      inputTokens: Number.NaN,
      outputTokens: -1,
      cacheReadTokens: 0,
      extra: 3,
      reasoningTokens: '4',
    }
    const { result, calls } = run([replyOf('x', { usage: odd as object })])
    await result
    expect(calls[0]?.usage).toEqual({ cacheReadTokens: 0 })
    const none = run([{ text: 'x', stop: 'end' } as ModelReply])
    await none.result
    expect(none.calls[0]?.usage).toEqual({})
    const nothing = run([undefined as unknown as ModelReply])
    await expect(nothing.result).rejects.toMatchObject({ reason: 'unknown' })
    const textless = run([{ usage: { inputTokens: 4 } } as ModelReply])
    await expect(textless.result).rejects.toMatchObject({ reason: 'unknown', usage: { inputTokens: 4 } })
    expect(textless.calls).toMatchObject([{ usage: { inputTokens: 4 } }])
  })

  it('makes no call that is not admitted, first or again', async () => {
    let left = 1
    const refusal = new SummarizerError('no money left', { reason: 'over-budget' })
    const admit = () => {
      if (left-- === 0) throw refusal
    }
    const { signal } = new AbortController()
    const { result, requests, calls } = run([overloaded(), replyOf('x')], { control: { signal, admit } })
    await expect(result).rejects.toBe(refusal)
    expect([requests.length, calls.length]).toEqual([1, 1])
    const odd = run([replyOf('x')], {
      control: {
        signal,
        admit() {
          throw new Error('stop')
        },
      },
    })
    await expect(odd.result).rejects.toMatchObject({ name: 'SummarizerError', reason: 'over-budget' })
    expect(odd.requests).toHaveLength(0)
  })

  it('waits until a call is admitted, and makes none if it is aborted meanwhile', async () => {
    let admitAll = () => {}
    const admitted = new Promise<void>((resolve) => {
      admitAll = resolve
    })
    const stopped = new AbortController()
    const waiting = (signal: AbortSignal) => ({ control: { signal, admit: () => admitted } })
    const later = run([replyOf('x')], waiting(new AbortController().signal))
    const aborted = run([replyOf('x')], waiting(stopped.signal))
    await new Promise(setImmediate)
    expect([later.requests.length, aborted.requests.length]).toEqual([0, 0])
    const reason = new Error('stopped by the caller')
    stopped.abort(reason)
    const ended = expect(aborted.result).rejects.toBe(reason)
    admitAll()
    await later.result
    await ended
    expect([later.requests.length, aborted.requests.length]).toEqual([1, 0])
  })

  it('stops at once when aborted: before, during a call that ignores it, and in a wait', async () => {
    const reason = new Error('stopped by the caller')
    const before = run([replyOf('x')], {}, AbortSignal.abort(reason))
    await expect(before.result).rejects.toBe(reason)
    expect([before.requests.length, before.calls.length]).toEqual([0, 0])

    const during = new AbortController()
    const hanging = run([], { call: () => new Promise(() => {}) }, during.signal)
    setTimeout(() => during.abort(reason), 5)
    await expect(hanging.result).rejects.toBe(reason)
    expect(hanging.calls).toMatchObject([{ error: 'aborted by the caller', usage: {} }])
    expect(hanging.told).toHaveLength(1)

    const waiting = new AbortController()
    const started = performance.now()
    const slow = run(
      [overloaded({ retryAfterMs: 60_000 }), replyOf('x')],
      { sleep: undefined } as object,
      waiting.signal,
    )
    setTimeout(() => waiting.abort(reason), 5)
    await expect(slow.result).rejects.toBe(reason)
    expect(performance.now() - started).toBeLessThan(50_000)
    expect([slow.requests.length, slow.calls.length]).toEqual([1, 1])
  })

  it('keeps no listener on the signal', async () => {
    const control = new AbortController()
    let listeners = 0
    const { addEventListener, removeEventListener } = control.signal
    control.signal.addEventListener = (...args: Parameters<typeof addEventListener>) => {
      listeners++
      addEventListener.apply(control.signal, args)
    }
    control.signal.removeEventListener = (...args: Parameters<typeof removeEventListener>) => {
      listeners--
      removeEventListener.apply(control.signal, args)
    }
    await run([overloaded(), replyOf('x')], {}, control.signal).result
    expect(listeners).toBe(0)
  })
})

describe('a call that takes long', () => {
  it('ends after timeoutMs, no matter what the model does, and is not repeated', async () => {
    const calls: SummarizerCall[] = []
    const never = callModel(request, {
      call: () => new Promise(() => {}),
      summarizer: 'fake',
      purpose: 'summarize',
      calls,
      read: (reply) => reply.text,
      timeoutMs: 20,
      sleep: async () => {},
      control: { signal: new AbortController().signal },
    })
    await expect(never).rejects.toMatchObject({
      reason: 'timeout',
      message: expect.stringContaining('20 ms'),
    })
    expect(calls).toMatchObject([{ error: expect.stringMatching(/^timeout: /), usage: {} }])
  })
})

describe('reports of a model while it works', () => {
  const working = (call: Model, admit: (n: number) => void = () => {}) => {
    const calls: SummarizerCall[] = []
    let admitted = 0
    const result = callModel(request, {
      call,
      summarizer: 'fake',
      purpose: 'summarize',
      calls,
      maxRetries: 0,
      read: (reply) => reply.text,
      control: { signal: new AbortController().signal, admit: () => admit(++admitted) },
    })
    return { calls, result }
  }

  it('mark a call that failed after its answer began', async () => {
    const { result, calls } = working(async (_, { onBegin }) => {
      onBegin?.()
      throw new ModelError('boom', { reason: 'server-error' })
    })
    await expect(result).rejects.toMatchObject({ reason: 'server-error' })
    expect(calls).toMatchObject([{ error: 'server-error: boom', begun: true, usage: {} }])
  })

  const twice: Model = async (_, { onRefused }) => {
    await onRefused?.(new ModelError('no schemas here', { reason: 'bad-request' }))
    return replyOf('fine')
  }

  it('record requests that were refused within a call, and have each admitted', async () => {
    const admitted: number[] = []
    const { result, calls } = working(twice, (n) => void admitted.push(n))
    expect(await result).toBe('fine')
    expect(calls.map(({ error }) => error)).toEqual(['bad-request: no schemas here', undefined])
    expect(admitted).toEqual([1, 2])
  })

  it('send no other form of a request if the limits forbid it', async () => {
    const { result, calls } = working(twice, (n) => {
      if (n > 1) throw new SummarizerError('enough', { reason: 'over-budget' })
    })
    await expect(result).rejects.toMatchObject({ reason: 'over-budget', message: 'enough' })
    expect(calls).toHaveLength(1)
  })
})
