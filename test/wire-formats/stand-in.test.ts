import Anthropic from '@anthropic-ai/sdk'
import { Ollama } from 'ollama'
import OpenAI, { toFile } from 'openai'
import { beforeEach, describe, expect, it } from 'vitest'
import { type BilledUsage, type ScenarioLike, startStandIn, sumOfBill, tokensOf } from '../stand-in/index.ts'
import { testStandIn } from '../support/test-stand-in.ts'
import { chat, completion, message, messages, prompt, response, schema, whole } from './stand-in-requests.ts'

// The official clients accept what the stand-in says, and its bill is what they report. What summarizers make of each
// scenario is tested with them.
const standIn = testStandIn('each')
let claude: Anthropic
let gpt: OpenAI
let llama: Ollama
beforeEach(() => {
  claude = new Anthropic({ apiKey: 'sk-test', baseURL: standIn.url, maxRetries: 0, logLevel: 'off' })
  gpt = new OpenAI({ apiKey: 'sk-test', baseURL: standIn.openaiUrl, maxRetries: 0, logLevel: 'off' })
  llama = new Ollama({ host: standIn.url })
})

interface Told {
  readonly text: string
  readonly output: number | undefined
}

async function readLlama(): Promise<Told> {
  let text = ''
  let output: number | undefined
  for await (const part of await llama.chat({ ...chat, stream: true })) {
    text += part.message.content
    output = part.eval_count
  }
  return { text, output }
}

const streamed = { stream: true as const, stream_options: { include_usage: true } }
const ofClaude = ({ content, usage }: Anthropic.Message): Told => ({
  text: content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
  output: usage.output_tokens,
})
const ofResponse = (one: { output_text: string; usage?: { output_tokens: number } | null }): Told => ({
  text: one.output_text,
  output: one.usage?.output_tokens,
})
const ofChat = (one: OpenAI.ChatCompletion): Told => ({
  text: one.choices[0]?.message.content ?? '',
  output: one.usage?.completion_tokens,
})

/** Each way to ask: what it answers and reports. */
const ways: Record<string, () => Promise<Told>> = {
  messages: async () => ofClaude(await claude.messages.create(message)),
  'messages, streamed': async () => ofClaude(await claude.messages.stream(message).finalMessage()),
  responses: async () => ofResponse(await gpt.responses.create(response)),
  'responses, streamed': async () => ofResponse(await gpt.responses.stream(response).finalResponse()),
  chat: async () => ofChat(await gpt.chat.completions.create(completion)),
  'chat, streamed': async () =>
    ofChat(await gpt.chat.completions.stream({ ...completion, ...streamed }).finalChatCompletion()),
  ollama: async () => {
    const one = await llama.chat({ ...chat, stream: false })
    return { text: one.message.content, output: one.eval_count }
  },
  'ollama, streamed': readLlama,
}

describe.each(Object.keys(ways))('%s', (name) => {
  const ask = ways[name] as () => Promise<Told>
  const cut = name.includes('streamed')

  it('answers the schema from the prompt, and bills what it reports', async () => {
    standIn.always({ scenario: 'ok', cacheRead: 30, cacheWrite: 20 })
    const reasoning = name.startsWith('ollama') ? 0 : 16
    const output = reasoning + tokensOf(whole)
    expect(await ask()).toEqual({ text: whole, output })
    const input = tokensOf(name.startsWith('responses') ? `Summarize it.${prompt}` : prompt)
    const usage: BilledUsage = { input, cacheRead: 30, cacheWrite: 20, output, reasoning }
    expect(standIn.bill).toMatchObject([{ kind: 'call', sent: 'whole', usage }])
  })

  it.each<ScenarioLike>(['max_tokens', 'prose', 'empty', 'inflated', 'two_text_blocks', 'refusal'])(
    'bills what it reports if the answer is %s',
    async (scenario) => {
      standIn.always(scenario)
      const { output } = await ask()
      expect(standIn.bill).toMatchObject([{ sent: 'whole', usage: { output } }])
    },
  )

  it.each<ScenarioLike>(['stream_cut', 'stream_reset', 'stream_no_stop'])(
    'bills what came if it breaks: %s',
    async (scenario) => {
      if (scenario === 'stream_no_stop' && !cut) return
      standIn.always(scenario)
      // A client may take what came of a stream for the answer, without its usage.
      const told = await ask().catch(() => undefined)
      expect(told?.output).toBeUndefined()
      expect(standIn.bill).toMatchObject([{ sent: 'part' }])
    },
  )

  it.each<ScenarioLike>([500, 529, 429, 404, 'spend_limit', 'prompt_too_long', 'connection_reset'])(
    'bills nothing for %s',
    async (scenario) => {
      standIn.always(scenario)
      await expect(ask()).rejects.toThrow()
      expect(standIn.bill).toEqual([])
    },
  )

  it('bills a reply that is lost', async () => {
    standIn.always('lost_reply')
    await expect(ask()).rejects.toThrow()
    expect(standIn.bill).toMatchObject([{ sent: 'none' }])
  })
})

describe('a request that the service refuses', () => {
  const strict = { name: 'x', strict: true, schema: { ...schema, required: ['summary'] } }
  const format = (json_schema: object) => ({ response_format: { type: 'json_schema', json_schema } })
  it.each([
    [{ temperature: 0 }, 'temperature'],
    [{ strange: 1 }, 'Extra inputs'],
    [{ messages: [...messages, { role: 'assistant', content: '{' }] }, 'prefill'],
    [{ messages: [] }, 'at least one message'],
    [{ output_config: { format: { type: 'json_schema', schema: { type: 'object' } } } }, 'additionalProp'],
  ])('is refused for Anthropic: %j', async (more, words) => {
    const call = claude.messages.create({ ...message, ...more } as typeof message)
    await expect(call).rejects.toBeInstanceOf(Anthropic.BadRequestError)
    await expect(call).rejects.toThrow(words)
    expect(standIn.bill).toEqual([])
  })

  it.each([
    [{ model: 'gpt-5.6-sol', max_tokens: 100 }, 'unsupported_parameter'],
    [{ model: 'gpt-5.6-sol', strange: 1 }, 'unknown_parameter'],
    [format({ name: 'a b', schema }), 'invalid_value'],
    [format(strict), 'invalid_json_schema'],
  ])('is refused for OpenAI: %j', async (more, code) => {
    const call = gpt.chat.completions.create({ ...completion, ...more } as typeof completion)
    await expect(call).rejects.toMatchObject({ status: 400, code })
  })

  it('has no key, except for Ollama, or a wrong one', async () => {
    for (const path of ['/v1/messages', '/v1/responses', '/v1/chat/completions', '/v1/files'])
      expect((await fetch(standIn.url + path, { method: 'POST' })).status).toBe(401)
    const picky = await startStandIn({ keys: ['right'] })
    const wrong = new Anthropic({ apiKey: 'wrong', baseURL: picky.url, maxRetries: 0, logLevel: 'off' })
    await expect(wrong.messages.create(message)).rejects.toBeInstanceOf(Anthropic.AuthenticationError)
    await picky.close()
  })
})

describe('an answer', () => {
  it('proposes only a command that ran', async () => {
    const step = { type: 'object', properties: { command: { type: ['string', 'null'] } } }
    const ask = async (...lines: string[]) => {
      const content = ['[e1] user', '| Go on.', ...lines].join('\n')
      const asked = { model: 'qwen3', messages: [{ role: 'user', content }], format: step }
      return JSON.parse((await llama.chat(asked)).message.content).command
    }
    const ran = ['[e2] tool shell', '| make test -> exit 2']
    expect(await ask('[e3] tool Read', '| make all', '[e4] context', '| make help')).toBeNull()
    expect(await ask(...ran, '[e3] tool Bash, denied', '| make clean -> denied')).toBe('make test')
    expect(await ask(...ran, '[e3] tool Bash', '| make […40] -> ok')).toBe('make test')
    expect(await ask(...ran, '[e3] tool bash, turn 2', '| make all -> ok', '| make evil')).toBe('make all')
  })

  it('is what a test wants, before what is always said, after what is scripted', async () => {
    standIn.answer = (call) => (call.model === 'a' ? { own: call.messages.length } : 'plain text')
    expect(ofChat(await gpt.chat.completions.create({ ...completion, model: 'a' })).text).toBe('{"own":1}')
    expect((await llama.chat(chat)).message.content).toBe('plain text')
    standIn.answer = () => ({ scenario: 'status', code: 503 })
    await expect(llama.chat(chat)).rejects.toMatchObject({ status_code: 503 })
    standIn.script(['prose'])
    expect((await llama.chat(chat)).message.content).toContain('I have read the session')
  })

  it('reads only the last tokens if the context of Ollama is small', async () => {
    const long = [{ role: 'user', content: `[e1] user\n| Begin ${'word '.repeat(5000)}\n${prompt}` }]
    const cut = await llama.chat({ ...chat, messages: long, options: { num_ctx: 200 } })
    expect(cut.prompt_eval_count).toBe(200)
    expect((await llama.chat({ ...chat, messages: long })).prompt_eval_count).toBe(4096)
  })
})

describe('scenarios', () => {
  it('come from the header, the queue, the path, then from always', async () => {
    standIn.always(500)
    standIn.script([503])
    standIn.scriptFor('GET /v1/batches', [404])
    const statusOf = (call: Promise<unknown>) =>
      call.then(
        () => 200,
        (error: { status: number }) => error.status,
      )
    const header = { headers: { 'x-scenario': '{"scenario":"status","code":409}' } }
    expect(await statusOf(claude.messages.create(message, header))).toBe(409)
    expect(await statusOf(gpt.batches.list())).toBe(404)
    expect(await statusOf(gpt.batches.list())).toBe(200)
    expect(await statusOf(claude.messages.create(message))).toBe(503)
    expect(await statusOf(claude.messages.create(message))).toBe(500)
  })

  it('are rejected if a name is wrong or a number missing', async () => {
    expect(() => standIn.script(['no_such' as 'ok'])).toThrow(TypeError)
    expect(() => standIn.always('slow')).toThrow(/ms/)
    const header = { headers: { 'x-scenario': 'no_such' } }
    await expect(claude.messages.create(message, header)).rejects.toMatchObject({ status: 501 })
  })

  it('stall or never answer until the client goes, and the requests are recorded', async () => {
    standIn.script(['stall', 'stall_headers'])
    for (const [at, sent] of (['part', 'none'] as const).entries()) {
      const control = new AbortController()
      const asked = claude.messages.stream(message, { signal: control.signal }).finalMessage()
      const failed = expect(asked).rejects.toBeInstanceOf(Anthropic.APIUserAbortError)
      await expect.poll(() => standIn.bill[at]?.sent).toBe(sent)
      expect(standIn.requests[at]?.aborted).toBe(false)
      control.abort()
      await failed
      await expect.poll(() => standIn.requests[at]?.aborted).toBe(true)
    }
    expect(standIn.requests[0]).toMatchObject({ path: '/v1/messages', body: { max_tokens: 4000 } })
    for (const part of ['Bearer sk-test', 'Keep the old names.']) expect(standIn.received()).toContain(part)
  })
})

const endings: Record<string, 'errored' | 'expired' | 'canceled' | 'missing'> = {
  b: 'errored',
  c: 'expired',
  d: 'canceled',
  e: 'missing',
}

describe('batches of Anthropic', () => {
  const row = (custom_id: string, params: object = message) => ({
    custom_id,
    params: params as typeof message,
  })
  const create = (requests: ReturnType<typeof row>[]) => claude.messages.batches.create({ requests })

  it('run, end, and return rows out of order; only successes are billed', async () => {
    standIn.batchRow = (customId) => endings[customId] ?? 'succeeded'
    const made = await create(['a', 'b', 'c', 'd', 'e', 'f'].map((id) => row(id)))
    expect(made).toMatchObject({ processing_status: 'in_progress', request_counts: { processing: 6 } })
    await expect(claude.messages.batches.results(made.id)).rejects.toThrow('No batch')
    const ended = await claude.messages.batches.retrieve(made.id)
    expect(ended.request_counts).toEqual({ processing: 0, succeeded: 2, errored: 2, canceled: 1, expired: 1 })
    const rows: string[] = []
    for await (const { custom_id, result } of await claude.messages.batches.results(made.id))
      rows.push(
        `${custom_id} ${result.type === 'succeeded' ? result.message.usage.output_tokens : result.type}`,
      )
    const { output } = sumOfBill(standIn.bill.slice(0, 1))
    expect(rows).toEqual([`f ${output}`, 'd canceled', 'c expired', 'b errored', `a ${output}`])
    expect(standIn.bill).toMatchObject([
      { kind: 'batch', customId: 'a', batchId: made.id, provider: 'anthropic' },
      { kind: 'batch', customId: 'f', batchId: made.id },
    ])
    expect(standIn.batches).toMatchObject([{ id: made.id, ended: true, billed: 2 }])
  })

  it('have ids checked at once and params at the end', async () => {
    for (const [rows, words] of [
      [[], 'at least 1'],
      [[row('a/b')], 'requests.0.custom_id'],
      [[row('x'.repeat(65))], 'pattern'],
      [[row('a'), row('a')], 'duplicate'],
    ] as const)
      await expect(create([...rows])).rejects.toThrow(words)
    const bad = [row('t', { ...message, temperature: 1 }), row('s', { ...message, stream: true })]
    const made = await create([row('x'.repeat(64)), ...bad])
    standIn.endBatches()
    const { request_counts } = await claude.messages.batches.retrieve(made.id)
    expect(request_counts).toMatchObject({ succeeded: 1, errored: 2 })
  })

  it('are canceled, and created twice and billed twice if the reply was lost', async () => {
    const { id } = await create([row('a')])
    expect(await claude.messages.batches.cancel(id)).toMatchObject({ processing_status: 'canceling' })
    standIn.script(['lost_reply'])
    await claude.withOptions({ maxRetries: 1 }).messages.batches.create({ requests: [row('b')] })
    standIn.endBatches()
    expect(standIn.batches.map((batch) => batch.billed)).toEqual([0, 1, 1])
  })
})

describe('files and batches of OpenAI', () => {
  const line = (custom_id: string, more: object = {}) =>
    JSON.stringify({ custom_id, method: 'POST', url: '/v1/responses', body: response, ...more })
  const create = async (lines: string[]) => {
    const file = await toFile(Buffer.from(lines.join('\n')), 'job-1.jsonl')
    const { id } = await gpt.files.create({ file, purpose: 'batch' })
    const made = { input_file_id: id, endpoint: '/v1/responses', completion_window: '24h' } as const
    return gpt.batches.create({ ...made, metadata: { job: 'job-1' } })
  }
  const rowsOf = async (id: string | null | undefined) => {
    const text = await (await gpt.files.content(id ?? '')).text()
    return text
      .trim()
      .split('\n')
      .map((one) => JSON.parse(one))
  }

  it('end with an output and an error file; only successes are billed', async () => {
    standIn.batchRow = (customId) => endings[customId] ?? 'succeeded'
    const made = await create(['a', 'b', 'c', 'e', 'f'].map((id) => line(id)))
    expect(made).toMatchObject({ status: 'validating', metadata: { job: 'job-1' }, output_file_id: null })
    expect(await gpt.batches.retrieve(made.id)).toMatchObject({ status: 'in_progress' })
    const ended = await gpt.batches.retrieve(made.id)
    expect(ended).toMatchObject({ status: 'expired', request_counts: { total: 5, completed: 2, failed: 3 } })
    const good = await rowsOf(ended.output_file_id)
    expect(good.map((one) => one.custom_id)).toEqual(['f', 'a'])
    expect(good[0].response.body.output.at(-1).content[0].text).toBe(whole)
    expect(await rowsOf(ended.error_file_id)).toMatchObject([
      { custom_id: 'c', response: null, error: { code: 'batch_expired' } },
      { custom_id: 'b', response: { status_code: 400 }, error: null },
    ])
    const sum = sumOfBill(standIn.bill)
    expect(ended.usage).toMatchObject({ input_tokens: sum.input, output_tokens: sum.output })
    expect(standIn.bill.map((entry) => entry.customId)).toEqual(['a', 'f'])
  })

  it.each([
    [[line('a'), line('a')], 'duplicate_custom_id', 2],
    [['{'], 'invalid_json_line', 1],
    [[line('a', { url: '/v1/chat/completions' })], 'mismatched_url', 1],
    [[line('a'), line('b', { body: { ...response, model: 'other' } })], 'mismatched_model', 2],
  ])('fail later if the file is at fault: %#', async (lines, code, number) => {
    const { id, status } = await create(lines)
    expect(status).toBe('validating')
    await gpt.batches.retrieve(id)
    const failed = await gpt.batches.retrieve(id)
    expect(failed).toMatchObject({ status: 'failed', errors: { data: [{ code, line: number }] } })
    expect(standIn.bill).toEqual([])
  })

  it('are cancelled and listed, and exist if the reply was lost', async () => {
    standIn.script(['lost_reply', 'failed'])
    await expect(create([line('a')])).rejects.toBeInstanceOf(OpenAI.APIConnectionError)
    const second = await create([line('b')])
    const third = await create([line('c')])
    const listed = await gpt.batches.list({ limit: 2 })
    expect([listed.data.map((batch) => batch.id), listed.has_more]).toEqual([[third.id, second.id], true])
    expect(await gpt.batches.cancel(third.id)).toMatchObject({ status: 'cancelling' })
    standIn.endBatches()
    expect(await gpt.batches.retrieve(second.id)).toMatchObject({ status: 'failed' })
    const cancelled = await gpt.batches.retrieve(third.id)
    expect(cancelled.status).toBe('cancelled')
    expect(await rowsOf(cancelled.error_file_id)).toMatchObject([{ error: { code: 'batch_cancelled' } }])
    expect(standIn.batches.map((batch) => batch.billed)).toEqual([1, 0, 0])
  })
})
