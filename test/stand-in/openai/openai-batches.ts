import { type EndedRow, endRow } from '../batch-row.ts'
import { sumOfBill } from '../bill.ts'
import { type Json, jsonOf } from '../call.ts'
import { newId } from '../ids.ts'
import { errorBody, errorReply, invalid, requestIdHeader } from '../provider-error.ts'
import { jsonReply, type Reply } from '../reply.ts'
import type { Scenario } from '../scenarios.ts'
import type { StandInBatch, StandInRequest, State } from '../state.ts'
import { openaiChat } from './openai-chat.ts'
import { storeFile } from './openai-files.ts'
import { openaiResponses, usageOf } from './openai-responses.ts'

interface Row {
  readonly customId: string
  readonly body: Json
}
interface Fault {
  readonly code: string
  readonly line: number | null
  readonly message: string
  readonly param: string | null
}
interface Batch {
  readonly id: string
  readonly createdAt: number
  readonly input: Json
  readonly rows: readonly Row[]
  readonly fault: Fault | undefined
  polls: number
  canceledAt?: number
  ended?: {
    readonly at: number
    readonly rows: readonly EndedRow[]
    readonly output: string | null
    readonly errors: string | null
  }
}

/** `/v1/batches`. https://platform.openai.com/docs/api-reference/batch */
export interface OpenaiBatches {
  create(request: StandInRequest, scenario: Scenario): Reply
  list(request: StandInRequest): Reply
  retrieve(id: string): Reply
  cancel(id: string): Reply
  /** Ends all running batches. */
  end(): void
  all(): StandInBatch[]
}

export function openaiBatches(state: State): OpenaiBatches {
  const batches = new Map<string, Batch>()
  const reply = (body: object) => jsonReply(200, body, requestIdHeader('openai', newId('req_')))
  const withBatch = (id: string, then: (batch: Batch) => Reply): Reply => {
    const batch = batches.get(id)
    if (batch !== undefined) return then(batch)
    return errorReply('openai', { status: 404, message: `No batch found with id '${id}'.` })
  }
  const end = (batch: Batch) => {
    if (batch.ended !== undefined) return
    if (batch.fault !== undefined) {
      batch.ended = { at: nowSeconds(), rows: [], output: null, errors: null }
      return
    }
    const wire = batch.input.endpoint === '/v1/responses' ? openaiResponses : openaiChat
    const rows = batch.rows.map(({ customId, body }) =>
      endRow(state, batch.id, wire, wire.read(body, {}), customId, batch.canceledAt !== undefined),
    )
    const lines = rows.flatMap((row, index) => wireRow(batch.rows[index]?.customId ?? '', row)).reverse()
    const store = (kind: string, failed: boolean) => {
      const text = lines
        .filter((line) => line.failed === failed)
        .map((line) => `${JSON.stringify(line.row)}\n`)
        .join('')
      return text === '' ? null : storeFile(state, `${batch.id}_${kind}.jsonl`, 'batch_output', text).id
    }
    batch.ended = { at: nowSeconds(), rows, output: store('output', false), errors: store('error', true) }
  }
  const viewOf = (batch: Batch) => wireBatch(batch, state)
  const recordOf = (batch: Batch): StandInBatch => ({
    id: batch.id,
    provider: 'openai',
    customIds: batch.rows.map((row) => row.customId),
    createdAt: new Date(batch.createdAt * 1000).toISOString(),
    ended: batch.ended !== undefined,
    billed: batch.ended?.rows.filter((row) => row.type === 'succeeded').length ?? 0,
    metadata: batch.input.metadata ?? null,
  })

  return {
    create(request, scenario) {
      const input = jsonOf(request.body)
      const file = state.files.get(String(input.input_file_id))
      if (file === undefined)
        return errorReply('openai', invalid(`Invalid 'input_file_id': no such file`, 'input_file_id'))
      if (file.purpose !== 'batch')
        return errorReply('openai', invalid("The file has to have the purpose 'batch'", 'input_file_id'))
      if (input.endpoint !== '/v1/responses' && input.endpoint !== '/v1/chat/completions')
        return errorReply('openai', invalid(`Invalid 'endpoint': ${String(input.endpoint)}`, 'endpoint'))
      if (input.completion_window !== '24h')
        return errorReply('openai', invalid("Invalid 'completion_window': only '24h'", 'completion_window'))
      const read = readRows(file.text, input.endpoint)
      const failed: Fault | undefined =
        scenario.scenario === 'failed'
          ? { code: 'token_limit_exceeded', line: null, message: 'Enqueued token limit reached', param: null }
          : undefined
      const id = newId('batch_')
      const batch: Batch = {
        id,
        createdAt: nowSeconds(),
        input,
        rows: read.rows,
        fault: read.fault ?? failed,
        polls: 0,
      }
      batches.set(id, batch)
      return reply(viewOf(batch))
    },
    list({ query }) {
      const newest = [...batches.values()].reverse()
      const from = newest.findIndex((batch) => batch.id === query.after) + 1
      const to = from + Number(query.limit ?? 20)
      const page = newest.slice(from, to)
      return reply({
        object: 'list',
        data: page.map(viewOf),
        first_id: page[0]?.id ?? null,
        last_id: page.at(-1)?.id ?? null,
        has_more: to < newest.length,
      })
    },
    retrieve: (id) =>
      withBatch(id, (batch) => {
        if (batch.polls >= state.batchPolls) end(batch)
        batch.polls += 1
        return reply(viewOf(batch))
      }),
    cancel: (id) =>
      withBatch(id, (batch) => {
        if (batch.ended !== undefined)
          return errorReply('openai', {
            status: 409,
            message: `Cannot cancel a batch with status '${statusOf(batch)}'.`,
          })
        batch.canceledAt ??= nowSeconds()
        return reply(viewOf(batch))
      }),
    end() {
      for (const batch of batches.values()) end(batch)
    },
    all: () => [...batches.values()].map(recordOf),
  }
}

function nowSeconds(): number {
  return Math.floor(Date.now() / 1000)
}

/** Rows of an input file; a fault in it fails the batch later, at no cost. */
function readRows(text: string, endpoint: string): { rows: Row[]; fault: Fault | undefined } {
  const rows: Row[] = []
  const seen = new Set<string>()
  const models = new Set<unknown>()
  const failed = (line: number, code: string, message: string, param: string | null = null) => ({
    rows,
    fault: { code, line, message, param },
  })
  for (const [index, source] of text.split('\n').entries()) {
    if (source.trim() === '') continue
    const line = index + 1
    let row: Json
    try {
      row = jsonOf(JSON.parse(source))
    } catch {
      return failed(line, 'invalid_json_line', 'This line is not parseable as valid JSON.')
    }
    const { custom_id, method, url } = row
    if (typeof custom_id !== 'string' || custom_id === '')
      return failed(line, 'missing_required_parameter', 'custom_id is required', 'custom_id')
    if (seen.has(custom_id))
      return failed(line, 'duplicate_custom_id', `The custom_id '${custom_id}' is used twice.`, 'custom_id')
    if (method !== 'POST') return failed(line, 'invalid_method', 'The method has to be POST.', 'method')
    if (url !== endpoint)
      return failed(line, 'mismatched_url', 'The url does not match the endpoint of the batch.', 'url')
    models.add(jsonOf(row.body).model)
    if (models.size > 1)
      return failed(line, 'mismatched_model', 'All rows have to name the same model.', 'body.model')
    seen.add(custom_id)
    rows.push({ customId: custom_id, body: jsonOf(row.body) })
  }
  if (rows.length === 0) return failed(0, 'empty_file', 'The input file is empty.')
  return { rows, fault: undefined }
}

function statusOf(batch: Batch): string {
  if (batch.ended === undefined) {
    if (batch.canceledAt !== undefined) return 'cancelling'
    return batch.polls === 0 ? 'validating' : 'in_progress'
  }
  if (batch.fault !== undefined) return 'failed'
  if (batch.canceledAt !== undefined) return 'cancelled'
  return batch.ended.rows.some((row) => row.type === 'expired') ? 'expired' : 'completed'
}

function wireBatch(batch: Batch, state: State): object {
  const { input, ended, createdAt } = batch
  const status = statusOf(batch)
  const at = (name: string) => (status === name ? (ended?.at ?? null) : null)
  const billed = state.bill.filter((entry) => entry.batchId === batch.id)
  const completed = ended?.rows.filter((row) => row.type === 'succeeded').length ?? 0
  return {
    id: batch.id,
    object: 'batch',
    endpoint: input.endpoint,
    model: batch.rows[0]?.body.model ?? null,
    errors: status === 'failed' ? { object: 'list', data: [batch.fault] } : null,
    input_file_id: input.input_file_id,
    completion_window: '24h',
    status,
    output_file_id: ended?.output ?? null,
    error_file_id: ended?.errors ?? null,
    created_at: createdAt,
    in_progress_at: null,
    expires_at: createdAt + 86_400,
    finalizing_at: null,
    completed_at: at('completed'),
    failed_at: at('failed'),
    expired_at: at('expired'),
    cancelling_at: batch.canceledAt ?? null,
    cancelled_at: at('cancelled'),
    request_counts: {
      total: status === 'validating' ? 0 : batch.rows.length,
      completed,
      failed: (ended?.rows.length ?? 0) - completed,
    },
    metadata: input.metadata ?? null,
    ...(billed.length > 0 ? { usage: usageOf(sumOfBill(billed)) } : {}),
  }
}

function wireRow(custom_id: string, row: EndedRow): { failed: boolean; row: object }[] {
  const id = newId('batch_req_')
  if (row.type === 'missing') return []
  if (row.type === 'succeeded') {
    const response = { status_code: 200, request_id: row.requestId, body: row.body }
    return [{ failed: false, row: { id, custom_id, response, error: null } }]
  }
  if (row.type === 'errored') {
    const body = errorBody('openai', row.error, null)
    const response = { status_code: row.error.status, request_id: newId('req_'), body }
    return [{ failed: true, row: { id, custom_id, response, error: null } }]
  }
  const error =
    row.type === 'expired'
      ? {
          code: 'batch_expired',
          message: 'This request could not be executed before the completion window expired.',
        }
      : { code: 'batch_cancelled', message: 'This request was cancelled before it was executed.' }
  return [{ failed: true, row: { id, custom_id, response: null, error } }]
}
