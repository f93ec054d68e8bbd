import { type ChildProcess, spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import Anthropic from '@anthropic-ai/sdk'
import OpenAI, { toFile } from 'openai'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { sumOfBill } from '../stand-in/index.ts'
import { testFolder } from '../support/test-folder.ts'
import { testStandIn } from '../support/test-stand-in.ts'
import { message, response, whole } from './stand-in-requests.ts'

const standIn = testStandIn('each')
let claude: Anthropic
let gpt: OpenAI
beforeEach(async () => {
  claude = new Anthropic({ apiKey: 'sk-test', baseURL: standIn.url, maxRetries: 0, logLevel: 'off' })
  gpt = new OpenAI({ apiKey: 'sk-test', baseURL: standIn.openaiUrl, maxRetries: 0, logLevel: 'off' })
})

const row = (custom_id: string, params: object = message) => ({ custom_id, params: params as typeof message })
const endings: Record<string, 'errored' | 'expired' | 'canceled' | 'missing'> = {
  b: 'errored',
  c: 'expired',
  d: 'canceled',
  e: 'missing',
}

describe('batches of Anthropic', () => {
  it('run, end, and return rows out of order; only successes are billed', async () => {
    standIn.batchRow = (customId) => endings[customId] ?? 'succeeded'
    const made = await claude.messages.batches.create({
      requests: ['a', 'b', 'c', 'd', 'e', 'f'].map((id) => row(id)),
    })
    expect(made).toMatchObject({ processing_status: 'in_progress', results_url: null, ended_at: null })
    expect(made.request_counts).toMatchObject({ processing: 6, succeeded: 0 })
    await expect(claude.messages.batches.results(made.id)).rejects.toThrow('No batch')
    expect(standIn.bill).toEqual([])
    const ended = await claude.messages.batches.retrieve(made.id)
    expect(ended.request_counts).toEqual({ processing: 0, succeeded: 2, errored: 2, canceled: 1, expired: 1 })
    expect(ended.results_url).toBe(`${standIn.url}/v1/messages/batches/${made.id}/results`)
    const rows = new Map<string, Anthropic.Messages.MessageBatchIndividualResponse['result']>()
    for await (const result of await claude.messages.batches.results(made.id))
      rows.set(result.custom_id, result.result)
    expect([...rows].map(([id, result]) => [id, result.type])).toEqual([
      ['f', 'succeeded'],
      ['d', 'canceled'],
      ['c', 'expired'],
      ['b', 'errored'],
      ['a', 'succeeded'],
    ])
    const good = rows.get('a')
    expect(good).toMatchObject({ message: { content: [{ text: whole }], usage: { service_tier: 'batch' } } })
    expect(rows.get('b')).toMatchObject({
      error: { type: 'error', error: { type: 'invalid_request_error' } },
    })
    expect(standIn.bill).toMatchObject([
      { kind: 'batch', customId: 'a', batchId: made.id, provider: 'anthropic' },
      { kind: 'batch', customId: 'f', batchId: made.id },
    ])
    if (good?.type !== 'succeeded') throw new Error('expected a row')
    expect(standIn.bill[0]?.usage.output).toBe(good.message.usage.output_tokens)
    expect(standIn.batches).toMatchObject([
      { id: made.id, customIds: ['a', 'b', 'c', 'd', 'e', 'f'], ended: true, billed: 2 },
    ])
  })

  it('have ids checked at once and params at the end', async () => {
    const create = (requests: unknown[]) =>
      claude.messages.batches.create({ requests: requests as ReturnType<typeof row>[] })
    await expect(create([])).rejects.toThrow('at least 1')
    await expect(create([row('a/b')])).rejects.toThrow('requests.0.custom_id')
    await expect(create([row('x'.repeat(65))])).rejects.toThrow('pattern')
    await expect(create([row('a'), row('a')])).rejects.toThrow('duplicate')
    const made = await create([
      row('x'.repeat(64)),
      row('bad', { ...message, temperature: 1 }),
      row('s', { ...message, stream: true }),
    ])
    standIn.endBatches()
    expect((await claude.messages.batches.retrieve(made.id)).request_counts).toMatchObject({
      succeeded: 1,
      errored: 2,
    })
    expect(standIn.batches).toHaveLength(1)
  })

  it('can be canceled, listed newest first, and deleted when ended', async () => {
    const ids: string[] = []
    for (const id of ['a', 'b', 'c'])
      ids.unshift((await claude.messages.batches.create({ requests: [row(id)] })).id)
    const listed: string[] = []
    for await (const batch of claude.messages.batches.list({ limit: 2 })) listed.push(batch.id)
    expect(listed).toEqual(ids)
    const [first = ''] = ids
    await expect(claude.messages.batches.delete(first)).rejects.toThrow('cannot be deleted')
    const canceling = await claude.messages.batches.cancel(first)
    expect(canceling).toMatchObject({
      processing_status: 'canceling',
      cancel_initiated_at: expect.any(String),
    })
    standIn.endBatches()
    expect((await claude.messages.batches.retrieve(first)).request_counts).toMatchObject({
      canceled: 1,
      succeeded: 0,
    })
    expect(await claude.messages.batches.delete(first)).toMatchObject({ type: 'message_batch_deleted' })
    await expect(claude.messages.batches.retrieve(first)).rejects.toBeInstanceOf(Anthropic.NotFoundError)
    expect(standIn.bill.map((entry) => entry.customId)).toEqual(['a', 'b'])
  })

  it('are created twice if the reply was lost, and both billed', async () => {
    standIn.script(['lost_reply'])
    const again = new Anthropic({ apiKey: 'k', baseURL: standIn.url, maxRetries: 1, logLevel: 'off' })
    await again.messages.batches.create({ requests: [row('a')] })
    standIn.endBatches()
    expect(standIn.batches.map((batch) => batch.billed)).toEqual([1, 1])
    expect(standIn.bill).toHaveLength(2)
  })

  it('break while their results are read, and rows take scenarios', async () => {
    standIn.batchRow = (customId) => ({ scenario: customId === 'a' ? 'max_tokens' : 'refusal' })
    const { id } = await claude.messages.batches.create({ requests: [row('a'), row('b')] })
    standIn.endBatches()
    const stops: string[] = []
    for await (const { result } of await claude.messages.batches.results(id))
      stops.push(result.type === 'succeeded' ? String(result.message.stop_reason) : '')
    expect(stops).toEqual(['refusal', 'max_tokens'])
    standIn.scriptFor(`GET /v1/messages/batches/${id}/results`, ['stream_reset'])
    const read = async () => {
      for await (const _ of await claude.messages.batches.results(id)) stops.push('again')
    }
    await expect(read()).rejects.toThrow('terminated')
  })
})

describe('files and batches of OpenAI', () => {
  const line = (custom_id: string, more: object = {}) =>
    JSON.stringify({ custom_id, method: 'POST', url: '/v1/responses', body: response, ...more })
  const upload = async (lines: string[]) =>
    gpt.files.create({
      file: await toFile(Buffer.from(lines.join('\n')), 'job-1.jsonl'),
      purpose: 'batch',
      expires_after: { anchor: 'created_at', seconds: 3600 },
    })
  const create = async (lines: string[]) => {
    const file = await upload(lines)
    const made = { input_file_id: file.id, endpoint: '/v1/responses', completion_window: '24h' } as const
    return gpt.batches.create({ ...made, metadata: { job: 'job-1' } })
  }
  const rowsOf = async (id: string | null | undefined) => {
    const text = await (await gpt.files.content(id ?? '')).text()
    return text
      .trim()
      .split('\n')
      .map((one) => JSON.parse(one))
  }

  it('keep the files', async () => {
    const file = await upload([line('ä')])
    expect(file).toMatchObject({
      filename: 'job-1.jsonl',
      purpose: 'batch',
      bytes: Buffer.byteLength(line('ä')),
    })
    expect(file.expires_at).toBe(file.created_at + 3600)
    expect(await (await gpt.files.content(file.id)).text()).toBe(line('ä'))
    expect((await gpt.files.list()).data).toHaveLength(1)
    expect(await gpt.files.delete(file.id)).toMatchObject({ deleted: true })
    await expect(gpt.files.content(file.id)).rejects.toMatchObject({ status: 404 })
  })

  it('end with an output and an error file', async () => {
    standIn.batchRow = (customId) => endings[customId] ?? 'succeeded'
    const made = await create(['a', 'b', 'c', 'e', 'f'].map((id) => line(id)))
    expect(made).toMatchObject({ status: 'validating', metadata: { job: 'job-1' }, output_file_id: null })
    expect(await gpt.batches.retrieve(made.id)).toMatchObject({ status: 'in_progress' })
    const ended = await gpt.batches.retrieve(made.id)
    expect(ended).toMatchObject({ status: 'expired', request_counts: { total: 5, completed: 2, failed: 3 } })
    const good = await rowsOf(ended.output_file_id)
    expect(good.map((one) => one.custom_id)).toEqual(['f', 'a'])
    expect(good[0].response.body.output.at(-1).content[0].text).toBe(whole)
    const bad = await rowsOf(ended.error_file_id)
    expect(bad).toMatchObject([
      { custom_id: 'c', response: null, error: { code: 'batch_expired' } },
      { custom_id: 'b', response: { status_code: 400 }, error: null },
    ])
    const sum = sumOfBill(standIn.bill)
    expect(ended.usage).toMatchObject({ input_tokens: sum.input, output_tokens: sum.output })
    expect(standIn.bill.map((entry) => entry.customId)).toEqual(['a', 'f'])
    expect(standIn.bill[1]?.requestId).toBe(good[0].response.request_id)
  })

  it('complete without an error file', async () => {
    const { id } = await create([line('a')])
    standIn.endBatches()
    expect(await gpt.batches.retrieve(id)).toMatchObject({ status: 'completed', error_file_id: null })
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

  it('can be cancelled, listed and lost', async () => {
    standIn.script(['lost_reply', 'failed'])
    await expect(create([line('a')])).rejects.toBeInstanceOf(OpenAI.APIConnectionError)
    const second = await create([line('b')])
    const third = await create([line('c')])
    const listed = await gpt.batches.list({ limit: 2 })
    expect(listed.data.map((batch) => batch.id)).toEqual([third.id, second.id])
    expect(listed.has_more).toBe(true)
    expect(await gpt.batches.cancel(third.id)).toMatchObject({ status: 'cancelling' })
    standIn.endBatches()
    expect(await gpt.batches.retrieve(second.id)).toMatchObject({ status: 'failed' })
    const cancelled = await gpt.batches.retrieve(third.id)
    expect(cancelled.status).toBe('cancelled')
    expect(await rowsOf(cancelled.error_file_id)).toMatchObject([{ error: { code: 'batch_cancelled' } }])
    expect(standIn.batches.map((batch) => batch.billed)).toEqual([1, 0, 0])
    await expect(gpt.batches.retrieve('batch_none')).rejects.toMatchObject({ status: 404 })
  })
})

describe('the stand-in as a process', () => {
  let child: ChildProcess | undefined
  const folder = testFolder('each')
  afterEach(async () => {
    child?.kill()
  })

  it('prints its URL and writes the bill before it answers', async () => {
    const file = folder('bill.jsonl')
    const main = join(import.meta.dirname, '../dist/stand-in/main.js')
    child = spawn(process.execPath, [main, '--bill', file, '--scenario', 'lost_reply'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    if (child.stdout === null) throw new Error('no output')
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
    const { value: baseURL } = await lines.next()
    const other = new Anthropic({ apiKey: 'k', baseURL, maxRetries: 0, logLevel: 'off' })
    await expect(other.messages.create(message)).rejects.toBeInstanceOf(Anthropic.APIConnectionError)
    await expect(other.messages.batches.create({ requests: [row('a')] })).rejects.toThrow()
    const written = (await readFile(file, 'utf8'))
      .trim()
      .split('\n')
      .map((one) => JSON.parse(one))
    expect(written).toMatchObject([
      { kind: 'call', sent: 'none' },
      { customIds: ['a'], ended: false },
    ])
  })
})
