import Anthropic from '@anthropic-ai/sdk'
import OpenAI, { toFile } from 'openai'
import { beforeEach, describe, expect, it } from 'vitest'
import { startStandIn } from '../stand-in/index.ts'
import { testStandIn } from '../support/test-stand-in.ts'
import { completion, message, messages, response, schema } from './stand-in-requests.ts'

// That the official clients accept what the stand-in says, and report what it bills, the tests of the vendors show: here
// is how strict it is.
const standIn = testStandIn('each')
let claude: Anthropic
let gpt: OpenAI
beforeEach(() => {
  claude = new Anthropic({ apiKey: 'sk-test', baseURL: standIn.url, maxRetries: 0, logLevel: 'off' })
  gpt = new OpenAI({ apiKey: 'sk-test', baseURL: standIn.openaiUrl, maxRetries: 0, logLevel: 'off' })
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

describe('batches of Anthropic', () => {
  const row = (custom_id: string, params: object = message) => ({
    custom_id,
    params: params as typeof message,
  })
  const create = (requests: ReturnType<typeof row>[]) => claude.messages.batches.create({ requests })

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
})
