import { Ollama } from 'ollama'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type ScenarioLike, startStandIn } from '../../../../test/stand-in/index.ts'
import { testStandIn } from '../../../../test/support/test-stand-in.ts'
import { type OllamaOptions, ollamaModel } from '../../src/ollama/ollama-model.ts'
import { type ModelRequest, modelMessage } from '../../src/provider/model.ts'
import { ask, billed, failureOf, prompt, request } from '../support/ask.ts'

const server = testStandIn('all')
afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

const small: ModelRequest = { ...request, maxOutputTokens: 1000 }

function llama(options: Partial<OllamaOptions> = {}) {
  const model = ollamaModel({ model: 'qwen3', host: server.url, ...options })
  return (signal = new AbortController().signal, asked = small) => model(asked, { signal })
}

async function failure(scenario: ScenarioLike, options: Partial<OllamaOptions> = {}) {
  server.script([scenario])
  return await failureOf(llama(options)())
}

const body = () => server.requests.at(-1)?.body

/** Counts of Ollama. */
function counted() {
  const { inputTokens, outputTokens } = billed(server.bill.at(-1))
  return { inputTokens, outputTokens }
}

describe('the request', () => {
  it('has its schema, window and seed', async () => {
    const reply = await llama()()
    expect(JSON.parse(reply.text)).toHaveProperty('goal')
    expect(reply).toMatchObject({ stop: 'end', model: 'qwen3' })
    expect(reply.usage).toEqual(counted())
    expect(server.requests.at(-1)?.path).toBe('/api/chat')
    expect(body()).toEqual({
      model: 'qwen3',
      messages: [
        { role: 'system', content: request.system },
        { role: 'user', content: prompt },
      ],
      format: request.schema,
      stream: true,
      options: { num_ctx: 32_768, num_predict: 1000, temperature: 0, seed: 1 },
    })
  })

  it('has the given options, but none that break the window', async () => {
    const options = { top_k: 5, num_ctx: 9, num_predict: 9 }
    await llama({ numCtx: 8192, keepAlive: '10m', think: false, temperature: 0.5, seed: 7, options })()
    expect(body()).toMatchObject({
      options: { num_ctx: 8192, num_predict: 1000, temperature: 0.5, seed: 7, top_k: 5 },
      keep_alive: '10m',
      think: false,
    })
  })

  it.each([
    ['as it is', (host: string) => host],
    ['in the form that the server accepts', (host: string) => host.replace('http://127.0.0.1', '0.0.0.0')],
  ])('goes to OLLAMA_HOST, %s', async (_, form) => {
    vi.stubEnv('OLLAMA_HOST', form(server.url))
    const reply = await ask((asked, control) => ollamaModel({ model: 'm' })({ ...asked, ...small }, control))
    expect(reply.stop).toBe('end')
  })

  it('is refused if options contradict each other or are invalid', () => {
    const client = new Ollama({ host: server.url })
    expect(() => llama({ client })).toThrow(TypeError)
    expect(() => llama({ model: '' })).toThrow(TypeError)
    expect(() => llama({ numCtx: 0 })).toThrow(TypeError)
    expect(() => llama({ idleTimeoutMs: Number.NaN })).toThrow(TypeError)
  })
})

describe('the window', () => {
  it('is never asked to hold more than it can', async () => {
    const before = server.requests.length
    const error = await failureOf(llama({ numCtx: 4000 })(undefined, { ...small, inputTokens: 3001 }))
    expect(error).toMatchObject({ reason: 'prompt-too-long', retryable: false })
    expect(error.message).toContain('numCtx')
    expect(server.requests.length).toBe(before)
    expect(
      (await llama({ numCtx: 4000 })(undefined, { ...small, inputTokens: 3000 })).stop,
      'what fits exactly',
    ).toBe('end')
  })

  const long: ModelRequest = {
    ...small,
    inputTokens: 5000,
    messages: [modelMessage('user', 'word '.repeat(9000))],
  }

  it('is reported as too small if the estimate was too low', async () => {
    const error = await failureOf(llama({ numCtx: 8192 })(undefined, long))
    expect(error).toMatchObject({ reason: 'prompt-too-long', retryable: false })
    expect(error.usage).toEqual(counted())
    expect(error.usage.inputTokens).toBe(8192)
  })

  it('is reported as too small if the server cut the prompt to a half of it', async () => {
    server.script([{ scenario: 'window', tokens: 4098 }])
    expect(await failureOf(llama({ numCtx: 8192 })(undefined, long))).toMatchObject({
      reason: 'prompt-too-long',
    })
  })

  it('is distinguished from the limit of the answer', async () => {
    server.script(['max_tokens'])
    expect((await llama()()).stop).toBe('max-tokens')
    const { inputTokens = 0, outputTokens = 0 } = counted()
    server.script(['max_tokens'])
    const numCtx = inputTokens + outputTokens
    const reply = await llama({ numCtx })(undefined, {
      ...small,
      inputTokens: 1,
      maxOutputTokens: numCtx - 1,
    })
    expect(reply.stop).toBe('context-exceeded')
  })
})

describe('answers and failures', () => {
  it('give the advice to pull a model that is missing', async () => {
    const message = "model 'qwen3' not found"
    const error = await failure({ scenario: 'status', code: 404, message })
    expect(error).toMatchObject({ reason: 'bad-request', retryable: false })
    expect(error.message).toContain('ollama pull qwen3')
  })

  it('include a server that is not Ollama', async () => {
    const error = await failure({ scenario: 'status', code: 404, message: '404 page not found' })
    expect(error.message).not.toContain('pull')
  })

  it('include a prompt that is too long for the server, and a lack of memory', async () => {
    expect(await failure('prompt_too_long')).toMatchObject({ reason: 'prompt-too-long', retryable: false })
    const message = 'model requires more system memory (20.0 GiB) than is available (8.0 GiB)'
    const error = await failure({ scenario: 'status', code: 500, message })
    expect(error).toMatchObject({ reason: 'bad-request', retryable: false })
    expect(error.message).toContain('numCtx')
  })

  it('ask whether the server is running if it does not answer', async () => {
    const gone = await startStandIn()
    await gone.close()
    const host = gone.url.replace('//', '//me:hidden@')
    const error = await failureOf(llama({ host })())
    expect(error).toMatchObject({ reason: 'bad-request', retryable: false })
    expect(error.message).toContain('URL')
    const plain = await failureOf(llama({ host: gone.url })())
    expect(plain.message).toContain(gone.url)
    expect(plain.message).toContain('ECONNREFUSED')
    expect(plain.retryLimit).toBe(1)
    expect(error.message).not.toContain('hidden')
  })

  it('print nothing on standard output, as the package would for an error', async () => {
    const spies = (['log', 'info', 'debug'] as const).map((name) => vi.spyOn(console, name))
    const page = new Response('<html>Bad Gateway</html>', {
      status: 502,
      headers: { 'content-type': 'text/html' },
    })
    vi.spyOn(globalThis, 'fetch').mockResolvedValue(page)
    const error = await failureOf(llama()())
    expect(error).toMatchObject({ reason: 'server-error', retryable: true })
    expect(error.message).toContain('a web page')
    for (const spy of spies) expect(spy).not.toHaveBeenCalled()
  })
})

describe('a client of the caller', () => {
  const own = () => llama({ host: undefined as never, client: new Ollama({ host: server.url }) })

  it('answers', async () => {
    expect((await own()()).usage).toEqual(counted())
  })

  it('is stopped by the signal of the call', async () => {
    server.script(['stall'])
    const before = server.requests.length
    const control = new AbortController()
    const ended = expect(own()(control.signal)).rejects.toThrow('enough')
    await expect.poll(() => server.requests.length).toBe(before + 1)
    setTimeout(() => control.abort(new Error('enough')), 100)
    await ended
    await expect.poll(() => server.requests.at(-1)?.aborted).toBe(true)
  })

  it('fails like the built-in client', async () => {
    server.script([
      { scenario: 'status', code: 404, message: 'model "qwen3" not found, try pulling it first' },
    ])
    expect((await failureOf(own()())).message).toContain('ollama pull qwen3')
  })
})
