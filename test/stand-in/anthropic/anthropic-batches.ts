import { type EndedRow, endRow } from '../batch-row.ts'
import { type Json, jsonOf } from '../call.ts'
import { newId } from '../ids.ts'
import { errorBody, errorReply, invalid, type ProviderError, requestIdHeader } from '../provider-error.ts'
import { jsonReply, type Reply, textReply } from '../reply.ts'
import type { StandInBatch, StandInRequest, State } from '../state.ts'
import { anthropicMessages } from './anthropic.ts'
import { headerFault, readMessages } from './anthropic-request.ts'

const version = { 'anthropic-version': '2026-10-21' }
const dayMs = 86_400_000

interface Batch {
  readonly id: string
  readonly createdAt: number
  readonly rows: readonly { readonly customId: string; readonly params: Json }[]
  polls: number
  canceledAt?: number
  ended?: { readonly at: number; readonly rows: readonly EndedRow[] }
}

/** `/v1/messages/batches`. https://platform.claude.com/docs/en/build-with-claude/batch-processing */
export interface AnthropicBatches {
  create(request: StandInRequest): Reply
  list(request: StandInRequest): Reply
  retrieve(id: string): Reply
  cancel(id: string): Reply
  results(id: string): Reply
  /** Ends all running batches. */
  end(): void
  all(): StandInBatch[]
}

export function anthropicBatches(state: State): AnthropicBatches {
  const batches = new Map<string, Batch>()
  const reply = (body: object) => jsonReply(200, body, requestIdHeader('anthropic', newId('req_')))
  const fail = (error: ProviderError) => errorReply('anthropic', error)
  const withBatch = (id: string, then: (batch: Batch) => Reply): Reply => {
    const batch = batches.get(id)
    return batch === undefined
      ? fail({ status: 404, message: `message_batch: ${id} not found` })
      : then(batch)
  }
  const end = (batch: Batch) => {
    if (batch.ended !== undefined) return
    const canceled = batch.canceledAt !== undefined
    const rows = batch.rows.map(({ customId, params }) =>
      endRow(state, batch.id, anthropicMessages, readRow(params), customId, canceled),
    )
    batch.ended = { at: Date.now(), rows }
  }
  const viewOf = (batch: Batch) => wireBatch(batch, state.url())
  const recordOf = (batch: Batch): StandInBatch => ({
    id: batch.id,
    provider: 'anthropic',
    customIds: batch.rows.map((row) => row.customId),
    createdAt: new Date(batch.createdAt).toISOString(),
    ended: batch.ended !== undefined,
    billed: batch.ended?.rows.filter((row) => row.type === 'succeeded').length ?? 0,
  })

  return {
    create(request) {
      const fault = headerFault(request.headers) ?? createFault(jsonOf(request.body))
      if (fault !== undefined) return fail(fault)
      const rows = (jsonOf(request.body).requests as Json[]).map((row) => ({
        customId: String(row.custom_id),
        params: jsonOf(row.params),
      }))
      const batch: Batch = { id: newId('msgbatch_01'), createdAt: Date.now(), rows, polls: 0 }
      batches.set(batch.id, batch)
      return reply(viewOf(batch))
    },
    list({ query }) {
      const newest = [...batches.values()].reverse()
      const from = newest.findIndex((batch) => batch.id === query.after_id) + 1
      const to = from + Number(query.limit ?? 20)
      const page = newest.slice(from, to)
      return reply({
        data: page.map(viewOf),
        has_more: to < newest.length,
        first_id: page[0]?.id ?? null,
        last_id: page.at(-1)?.id ?? null,
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
        if (batch.ended === undefined) batch.canceledAt ??= Date.now()
        return reply(viewOf(batch))
      }),
    results: (id) =>
      withBatch(id, (batch) => {
        if (batch.ended === undefined) return fail(invalid(`Batch ${id} has no results yet.`))
        const lines = batch.ended.rows
          .flatMap((row, index) => wireRow(batch.rows[index]?.customId ?? '', row))
          .reverse()
        return textReply(200, lines.map((line) => `${JSON.stringify(line)}\n`).join(''), {
          'content-type': 'application/x-jsonl',
          ...requestIdHeader('anthropic', newId('req_')),
        })
      }),
    end() {
      for (const batch of batches.values()) end(batch)
    },
    all: () => [...batches.values()].map(recordOf),
  }
}

/** Fields forbidden in a row, in addition to those forbidden in any call. */
function readRow(params: Json) {
  if (params.stream === true) return invalid('stream: streaming is not supported in batches')
  if (params.speed !== undefined) return invalid('speed: not supported in batches')
  return readMessages(params, version)
}

function createFault(body: Json): ProviderError | undefined {
  const { requests } = body
  if (!Array.isArray(requests) || requests.length === 0)
    return invalid('requests: List should have at least 1 item after validation, not 0')
  if (requests.length > 100_000) return invalid('requests: List should have at most 100000 items')
  const seen = new Set<unknown>()
  for (const [index, row] of requests.entries()) {
    const { custom_id, params } = jsonOf(row)
    if (typeof custom_id !== 'string' || !/^[a-zA-Z0-9_-]{1,64}$/.test(custom_id))
      return invalid(`requests.${index}.custom_id: String should match pattern '^[a-zA-Z0-9_-]{1,64}$'`)
    if (seen.has(custom_id)) return invalid(`requests.${index}.custom_id: duplicate custom_id`)
    seen.add(custom_id)
    if (typeof params !== 'object' || params === null)
      return invalid(`requests.${index}.params: Field required`)
  }
  return undefined
}

function wireBatch(batch: Batch, url: string): object {
  const { ended, canceledAt, createdAt, id } = batch
  const count = (type: string) => ended?.rows.filter((row) => row.type === type).length ?? 0
  const iso = (ms: number | undefined) => (ms === undefined ? null : new Date(ms).toISOString())
  return {
    id,
    type: 'message_batch',
    processing_status: ended !== undefined ? 'ended' : canceledAt !== undefined ? 'canceling' : 'in_progress',
    request_counts: {
      processing: ended === undefined ? batch.rows.length : 0,
      succeeded: count('succeeded'),
      errored: count('errored') + count('missing'),
      canceled: count('canceled'),
      expired: count('expired'),
    },
    created_at: iso(createdAt),
    expires_at: iso(createdAt + dayMs),
    ended_at: iso(ended?.at),
    archived_at: null,
    cancel_initiated_at: iso(canceledAt),
    results_url: ended === undefined ? null : `${url}/v1/messages/batches/${id}/results`,
  }
}

function wireRow(custom_id: string, row: EndedRow): object[] {
  if (row.type === 'missing') return []
  if (row.type === 'succeeded') return [{ custom_id, result: { type: 'succeeded', message: row.body } }]
  if (row.type === 'errored')
    return [{ custom_id, result: { type: 'errored', error: errorBody('anthropic', row.error, null) } }]
  return [{ custom_id, result: { type: row.type } }]
}
