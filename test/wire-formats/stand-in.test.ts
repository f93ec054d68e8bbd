import Anthropic from '@anthropic-ai/sdk'
import { Ollama } from 'ollama'
import OpenAI from 'openai'
import { beforeEach, describe, expect, it } from 'vitest'
import { type BilledUsage, startStandIn, tokensOf } from '../stand-in/index.ts'
import { testStandIn } from '../support/test-stand-in.ts'
import { chat, completion, message, messages, prompt, response, schema, whole } from './stand-in-requests.ts'

const standIn = testStandIn('each')
let claude: Anthropic
let gpt: OpenAI
let llama: Ollama
beforeEach(async () => {
  claude = new Anthropic({ apiKey: 'sk-test', baseURL: standIn.url, maxRetries: 0, logLevel: 'off' })
  gpt = new OpenAI({ apiKey: 'sk-test', baseURL: standIn.openaiUrl, maxRetries: 0, logLevel: 'off' })
  llama = new Ollama({ host: standIn.url })
})

/** The default bill of the stand-in. */
function usual(text: string, input = prompt, reasoning = 16): BilledUsage {
  const output = reasoning + tokensOf(text)
  return { input: tokensOf(input), cacheRead: 0, cacheWrite: 0, output, reasoning }
}

describe('messages of Anthropic', () => {
  it('answer the schema from the prompt and bill what they report', async () => {
    standIn.always({ scenario: 'ok', cacheRead: 30, cacheWrite: 20 })
    const { data, response: raw } = await claude.messages.create(message).withResponse()
    expect(data.content).toEqual([{ type: 'text', text: whole, citations: null }])
    expect(data).toMatchObject({ model: 'claude-opus-5-5', stop_reason: 'end_turn' })
    const [entry] = standIn.bill
    expect(entry).toEqual({
      provider: 'anthropic',
      model: 'claude-opus-5-5',
      requestId: raw.headers.get('request-id'),
      kind: 'call',
      usage: { ...usual(whole), cacheRead: 30, cacheWrite: 20 },
      sent: 'whole',
    })
    expect(data.usage).toMatchObject({
      input_tokens: usual(whole).input - 50,
      cache_read_input_tokens: 30,
      cache_creation_input_tokens: 20,
      output_tokens: entry?.usage.output,
      output_tokens_details: { thinking_tokens: 16 },
    })
  })

  it('stream the same answer with the same usage', async () => {
    const stream = claude.messages.stream(message)
    const events: string[] = []
    stream.on('streamEvent', (event) => events.push(event.type))
    const final = await stream.finalMessage()
    expect(final.content).toMatchObject([{ text: whole }])
    expect(final.usage.output_tokens).toBe(standIn.bill[0]?.usage.output)
    expect(final.usage.input_tokens).toBe(standIn.bill[0]?.usage.input)
    expect(stream.request_id).toBe(standIn.bill[0]?.requestId)
    expect(events.filter((type) => type === 'content_block_delta').length).toBeGreaterThan(3)
    expect([events[0], events.at(-1)]).toEqual(['message_start', 'message_stop'])
  })

  it('have their tokens counted as billed, at no price', async () => {
    const { max_tokens: _, ...counted } = message
    const count = await claude.messages.countTokens(counted)
    expect(count.input_tokens).toBe(usual('').input)
    expect(standIn.bill).toEqual([])
  })

  it.each([
    [{ ...message, temperature: 0 }, 'temperature'],
    [{ ...message, strange: 1 }, 'Extra inputs'],
    [{ ...message, messages: [...messages, { role: 'assistant', content: '{' }] }, 'prefill'],
    [{ ...message, messages: [] }, 'at least one message'],
    [
      { ...message, output_config: { format: { type: 'json_schema', schema: { type: 'object' } } } },
      'additionalProp',
    ],
  ])('are refused like those that the service refuses: %#', async (body, words) => {
    const call = claude.messages.create(body as typeof message)
    await expect(call).rejects.toBeInstanceOf(Anthropic.BadRequestError)
    await expect(call).rejects.toThrow(words)
    expect(standIn.bill).toEqual([])
  })

  it('stop when max_tokens is reached', async () => {
    const cut = await claude.messages.create({ ...message, max_tokens: 20 })
    expect(cut.stop_reason).toBe('max_tokens')
    expect(cut.usage.output_tokens).toBe(20)
    expect(cut.content).toMatchObject([{ text: whole.slice(0, 16) }])
  })

  it('come with a list of models and their windows', async () => {
    const model = await claude.models.retrieve('claude-opus-5-5')
    expect(model).toMatchObject({ max_input_tokens: 1_000_000, max_tokens: 128_000 })
    expect((await claude.models.list()).data.map((one) => one.id)).toContain('claude-opus-5-5')
    await expect(claude.models.retrieve('none')).rejects.toBeInstanceOf(Anthropic.NotFoundError)
  })
})

describe('OpenAI', () => {
  const input = `Summarize it.${prompt}`

  it('answers responses, whole and as a stream', async () => {
    standIn.always({ scenario: 'ok', cacheRead: 40 })
    const { data, response: raw } = await gpt.responses.create(response).withResponse()
    expect(data.output_text).toBe(whole)
    expect(data).toMatchObject({ status: 'completed', store: false, error: null })
    const usage = {
      input_tokens: tokensOf(input),
      input_tokens_details: { cached_tokens: 40, cache_write_tokens: 0 },
      output_tokens: usual(whole).output,
      output_tokens_details: { reasoning_tokens: 16 },
      total_tokens: tokensOf(input) + usual(whole).output,
    }
    expect(data.usage).toEqual(usage)
    const streamed = await gpt.responses.stream(response).finalResponse()
    expect(streamed.output_text).toBe(whole)
    expect(streamed.usage).toEqual(usage)
    expect(standIn.bill.map((entry) => entry.usage)).toEqual(
      Array(2).fill({ ...usual(whole, input), cacheRead: 40 }),
    )
    expect(standIn.bill[0]?.requestId).toBe(raw.headers.get('x-request-id'))
  })

  it('answers chat completions, whole and as a stream', async () => {
    const { choices, usage } = await gpt.chat.completions.create(completion)
    expect(choices).toMatchObject([{ finish_reason: 'stop', message: { content: whole, refusal: null } }])
    expect(usage).toMatchObject({ prompt_tokens: usual('').input, completion_tokens: usual(whole).output })
    for (const include_usage of [true, false]) {
      const stream = gpt.chat.completions.stream({
        ...completion,
        stream: true,
        stream_options: { include_usage },
      })
      expect((await stream.finalChatCompletion()).choices[0]?.message.content).toBe(whole)
      const streamed = await stream.finalChatCompletion()
      expect(streamed.usage?.completion_tokens).toBe(include_usage ? usual(whole).output : undefined)
    }
    expect(standIn.bill.map((entry) => entry.usage)).toEqual(Array(3).fill(usual(whole)))
  })

  it.each([
    [{ ...completion, model: 'gpt-5.6-sol', max_tokens: 100 }, 'unsupported_parameter'],
    [{ ...completion, model: 'gpt-5.6-sol', strange: 1 }, 'unknown_parameter'],
    [
      { ...completion, response_format: { type: 'json_schema', json_schema: { name: 'a b', schema } } },
      'invalid_value',
    ],
    [
      {
        ...completion,
        response_format: {
          type: 'json_schema',
          json_schema: { name: 'x', strict: true, schema: { ...schema, required: ['summary'] } },
        },
      },
      'invalid_json_schema',
    ],
  ])('refuses what the service refuses: %#', async (body, code) => {
    const call = gpt.chat.completions.create(body as typeof completion)
    await expect(call).rejects.toMatchObject({ status: 400, code })
  })

  it('lists models', async () => {
    expect((await gpt.models.list()).data.map((one) => one.id)).toContain('gpt-5.6-sol')
  })
})

describe('Ollama', () => {
  it('answers, whole and line by line', async () => {
    const one = await llama.chat({ ...chat, stream: false })
    expect(one.message.content).toBe(whole)
    expect(one).toMatchObject({ done_reason: 'stop', prompt_eval_count: usual('').input })
    let text = ''
    let last: unknown
    for await (const part of await llama.chat({ ...chat, stream: true })) {
      text += part.message.content
      last = part
    }
    expect(text).toBe(whole)
    expect(last).toMatchObject({ done: true, eval_count: standIn.bill[1]?.usage.output })
    expect(standIn.bill[1]?.usage).toEqual(usual(whole, prompt, 0))
  })

  it('reads only the last tokens if the context is small', async () => {
    const long = [{ role: 'user', content: `[e1] user\n| Begin ${'word '.repeat(5000)}\n${prompt}` }]
    const cut = await llama.chat({ ...chat, messages: long, options: { num_ctx: 200 } })
    expect(cut.prompt_eval_count).toBe(200)
    expect(JSON.parse(cut.message.content)).toMatchObject({
      constraints: ['Write the parser for dates.', 'Keep the old names.'],
    })
    expect((await llama.chat({ ...chat, messages: long })).prompt_eval_count).toBe(4096)
    const all = await llama.chat({ ...chat, messages: long, options: { num_ctx: 32_768 } })
    expect(all.prompt_eval_count).toBe(tokensOf(long[0]?.content ?? ''))
  })

  it('lists its models', async () => {
    const { model_info } = await llama.show({ model: 'qwen3' })
    expect(Object.entries(model_info)).toContainEqual(['qwen3.context_length', 40_960])
    expect((await llama.list()).models).toMatchObject([{ name: 'qwen3' }])
    expect((await llama.ps()).models).toMatchObject([{ name: 'qwen3' }])
    await expect(llama.show({ model: 'missing' })).rejects.toMatchObject({ status_code: 404 })
  })
})

describe('every provider', () => {
  it('answers without a transcript, and to a schema in the prompt', async () => {
    const fenced = `${'Say it.'}\n\`\`\`json\n${JSON.stringify({ type: 'object', properties: { command: { type: ['string', 'null'] }, evidence: { type: 'array', items: { type: 'string' } } } })}\n\`\`\``
    const { choices } = await gpt.chat.completions.create({
      model: 'local-model',
      messages: [
        { role: 'system', content: fenced },
        { role: 'user', content: 'Only words here.' },
      ],
    })
    expect(JSON.parse(choices[0]?.message.content ?? '')).toEqual({ command: null, evidence: [] })
    const plain = await gpt.chat.completions.create({
      model: 'local-model',
      messages: [{ role: 'user', content: 'x' }],
    })
    expect(plain.choices[0]?.message.content).toBe('{}')
  })

  it('proposes only a command that ran', async () => {
    const step = { type: 'object', properties: { command: { type: ['string', 'null'] } } }
    const ask = async (...lines: string[]) => {
      const messages = [{ role: 'user', content: ['[e1] user', '| Go on.', ...lines].join('\n') }]
      return JSON.parse((await llama.chat({ model: 'qwen3', messages, format: step })).message.content)
        .command
    }
    const ran = ['[e2] tool shell', '| make test -> exit 2']
    expect(await ask('[e3] tool Read', '| make all', '[e4] context', '| make help')).toBeNull()
    expect(await ask(...ran, '[e3] tool Bash, denied', '| make clean -> denied')).toBe('make test')
    expect(await ask(...ran, '[e3] tool Bash', '| make […40] -> ok')).toBe('make test')
    expect(await ask(...ran, '[e3] tool bash, turn 2', '| make all -> ok', '| make evil')).toBe('make all')
  })

  it('gives the answer that a test wants', async () => {
    standIn.answer = (call) => (call.model === 'a' ? { own: call.messages.length } : undefined)
    const own = await gpt.chat.completions.create({ ...completion, model: 'a' })
    expect(own.choices[0]?.message.content).toBe('{"own":1}')
    standIn.answer = () => 'plain text'
    const text = await llama.chat(chat)
    expect(text.message.content).toBe('plain text')
    standIn.answer = () => ({ scenario: 'status', code: 503 })
    await expect(llama.chat(chat)).rejects.toMatchObject({ status_code: 503 })
    standIn.script(['prose'])
    expect((await llama.chat(chat)).message.content).toContain('I have read the session')
  })

  it('requires a key, except Ollama', async () => {
    for (const path of [
      '/v1/messages',
      '/v1/responses',
      '/v1/chat/completions',
      '/v1/batches',
      '/v1/models',
    ]) {
      const method = path === '/v1/models' || path === '/v1/batches' ? 'GET' : 'POST'
      expect((await fetch(standIn.url + path, { method })).status).toBe(401)
    }
    const plain = await fetch(`${standIn.url}/v1/messages`, {
      method: 'POST',
      headers: { 'x-api-key': 'k', 'anthropic-version': '2026-10-21' },
      body: JSON.stringify(message),
    })
    expect(plain.status).toBe(200)
    expect(plain.headers.get('content-type')).toBe('application/json')
    const picky = await startStandIn({ keys: ['right'] })
    const wrong = new Anthropic({ apiKey: 'wrong', baseURL: picky.url, maxRetries: 0, logLevel: 'off' })
    await expect(wrong.messages.create(message)).rejects.toBeInstanceOf(Anthropic.AuthenticationError)
    const wrongGpt = new OpenAI({ apiKey: 'wrong', baseURL: picky.openaiUrl, maxRetries: 0, logLevel: 'off' })
    await expect(wrongGpt.responses.create(response)).rejects.toMatchObject({
      status: 401,
      code: 'invalid_api_key',
    })
    await picky.close()
  })

  it('has its requests and bytes recorded', async () => {
    await claude.messages.create(message, { headers: { 'x-mark': 'in-a-header' } })
    await llama.list()
    expect(standIn.requests).toMatchObject([
      { method: 'POST', path: '/v1/messages', body: { max_tokens: 4000 }, status: 200, aborted: false },
      { method: 'GET', path: '/api/tags', body: undefined, text: '' },
    ])
    for (const part of ['in-a-header', 'Bearer sk-test', 'Keep the old names.', '/api/tags'])
      expect(standIn.received()).toContain(part)
  })
})
