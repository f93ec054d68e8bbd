import { fieldsOf, known, stringOf } from '@tenfold/core/internal/summarizer'
import { TenfoldError } from '@tenfold/core/summarizer'
import type OpenAI from 'openai'
import { resultsGone } from '../batch/batch-error.ts'
import type {
  BatchProvider,
  BatchRequest,
  BatchRow,
  BatchState,
  SubmissionLookup,
  SubmissionQuery,
  VendorBatch,
  WindowOptions,
} from '../batch/provider.ts'
import {
  answeredRow,
  failedRow,
  jsonLines,
  listed,
  notARow,
  providerHead,
  unrunRow,
  vendorCalls,
} from '../batch/vendor-calls.ts'
import { windows } from '../model/vendor-summarizer.ts'
import { callError } from '../provider/call-error.ts'
import { failureError, failureOf } from '../provider/failures.ts'
import { ModelError } from '../provider/model.ts'
import { type ParamsOptions, responseParams } from './call-params.ts'
import { keyAdvice, openaiServer } from './openai-server.ts'
import { replyOfResponse } from './read-response.ts'

/** The part of a client of the SDK that is used. */
export type OpenAIBatchClient = Pick<OpenAI, 'files' | 'batches' | 'baseURL' | 'apiKey'>

/** The window defaults to that of {@link openaiSummarizer}. */
export interface OpenAIBatchOptions extends ParamsOptions, WindowOptions {
  /** @default `OPENAI_API_KEY` */
  readonly apiKey?: string | undefined
  /** @default `OPENAI_BASE_URL`, or OpenAI's own */
  readonly baseURL?: string | undefined
  /** Your own client in place of `apiKey` and `baseURL`; its retries are turned off for each call. */
  readonly client?: OpenAIBatchClient | undefined
}

const endpoint = '/v1/responses'

/** The uploaded requests are useless once the batch has ended, a day later at most. */
const fileSeconds = 3 * 86_400

/** How much the clocks of both sides may differ. */
const skewSeconds = 600

/**
 * The Batch API of OpenAI over Responses, at half the price. The metadata of a batch names its job, so that a
 * submission whose answer was lost is found again at once. Rejects with TenfoldError `missing-api-key` without a key,
 * `missing-package` without the package `openai`.
 * https://platform.openai.com/docs/guides/batch
 */
export async function openaiBatch(options: OpenAIBatchOptions): Promise<BatchProvider> {
  const { call, submit } = vendorCalls((error) => callError(error))
  const client: OpenAIBatchClient = options.client ?? (await clientWithKey(options))

  const lineOf = ({ customId, request }: BatchRequest) =>
    `${JSON.stringify({ custom_id: customId, method: 'POST', url: endpoint, body: responseParams(request, options) })}\n`

  const retrieve = (batchId: string, signal: AbortSignal) =>
    call(
      signal,
      (options) => client.batches.retrieve(batchId, options),
      () => resultsGone(batchId, 'OpenAI does not know it; does the API key belong to another project?'),
    )

  return {
    name: 'openai',
    ...providerHead(options, client, windows.openai),
    maxRequests: 50_000,
    maxBytes: 200_000_000,
    size: (request) => Buffer.byteLength(lineOf(request)),
    async submit(requests, { job, attempt, signal }) {
      const file = new File(requests.map(lineOf), `${job}-${attempt}.jsonl`, { type: 'application/jsonl' })
      const expires_after = { anchor: 'created_at', seconds: fileSeconds } as const
      const upload = { file, purpose: 'batch', expires_after } as const
      try {
        const { id } = await call(signal, (options) => client.files.create(upload, options))
        const metadata = { job, attempt: String(attempt) }
        const body = { input_file_id: id, endpoint, completion_window: '24h', metadata } as const
        // A retry after a lost answer would create a second batch, and be billed.
        return await submit(signal, async (options) =>
          vendorBatch(await client.batches.create(body, options)),
        )
      } catch (error) {
        if (!(error instanceof ModelError)) throw error
        // A file alone runs nothing.
        return { outcome: 'refused', error }
      }
    },
    find: (wanted, { signal }) =>
      findBatch(
        wanted,
        listed((after) =>
          call(signal, (options) => client.batches.list({ limit: 100, ...known({ after }) }, options)),
        ),
      ),
    async status(batchId, { signal }) {
      return stateOf(await retrieve(batchId, signal))
    },
    async *results(batchId, { signal }) {
      const { output_file_id, error_file_id } = await retrieve(batchId, signal)
      for (const fileId of [output_file_id, error_file_id]) {
        if (typeof fileId !== 'string' || fileId === '') continue
        const response = await call(
          signal,
          (options) => client.files.content(fileId, options),
          () => resultsGone(batchId, 'their file is deleted or has expired'),
        )
        for await (const line of jsonLines(response, signal)) yield batchRowOf(line)
      }
    },
    async cancel(batchId, { signal }) {
      const { status } = await retrieve(batchId, signal)
      // A batch that has ended cannot be canceled.
      if (running.has(status)) await call(signal, (options) => client.batches.cancel(batchId, options))
    },
  }
}

const running: ReadonlySet<OpenAI.Batch['status']> = new Set(['validating', 'in_progress', 'finalizing'])

/** Finds the batch by its metadata; the first if there are several, as only that one can have been meant. */
async function findBatch(
  wanted: SubmissionQuery,
  batches: AsyncIterable<OpenAI.Batch>,
): Promise<SubmissionLookup> {
  const oldest = wanted.since.getTime() / 1000 - skewSeconds
  let found: OpenAI.Batch | undefined
  // The list begins with the newest.
  for await (const batch of batches) {
    if (batch.created_at < oldest) break
    const { job, attempt } = batch.metadata ?? {}
    if (job === wanted.job && attempt === String(wanted.attempt)) found = batch
  }
  return found === undefined ? { outcome: 'none' } : { outcome: 'found', batch: vendorBatch(found) }
}

function vendorBatch({ id, input_file_id, created_at, expires_at }: OpenAI.Batch): VendorBatch {
  return {
    batchId: id,
    fileId: input_file_id,
    createdAt: new Date(created_at * 1000).toISOString(),
    ...expiryOf(expires_at),
  }
}

function expiryOf(seconds: number | undefined): Pick<VendorBatch, 'expiresAt'> {
  return typeof seconds === 'number' ? { expiresAt: new Date(seconds * 1000).toISOString() } : {}
}

/** State of a batch. One that expired or was canceled still has the rows that ran. */
function stateOf(batch: OpenAI.Batch): BatchState {
  const { total = 0, completed = 0, failed = 0 } = batch.request_counts ?? {}
  const counts = { requests: total, succeeded: completed, failed, ...expiryOf(batch.expires_at) }
  if (running.has(batch.status) || batch.status === 'cancelling') return { state: 'running', ...counts }
  if (batch.status !== 'failed') return { state: 'ended', ...counts }
  const first = batch.errors?.data?.[0]
  // Too many tokens in the queue of this model: there is room again when other batches have ended.
  const full = first?.code === 'token_limit_exceeded' || first?.code === 'rate_limit_exceeded'
  const { message = 'no reason given' } = first ?? {}
  const error = failureError(failureOf({ code: first?.code, message }), { vendor: 'OpenAI' })
  const failure = {
    reason: full ? ('rate-limited' as const) : error.reason,
    retryable: full || error.retryable,
    message: `the whole batch failed: ${error.message}`,
  }
  return { state: 'failed', ...counts, failure }
}

async function clientWithKey({ apiKey, baseURL }: OpenAIBatchOptions): Promise<OpenAIBatchClient> {
  const { client, keyMissing } = openaiServer({ apiKey, baseURL, api: 'responses' })
  if (keyMissing) throw new TenfoldError('missing-api-key', keyAdvice)
  return await client()
}

/**
 * Parses one line of the output or error file of a batch. Throws a retryable ModelError if it is not a row.
 * https://platform.openai.com/docs/api-reference/batch/request-output
 */
export function batchRowOf(line: unknown): BatchRow {
  const { custom_id, response, error } = fieldsOf(line)
  if (typeof custom_id !== 'string' || custom_id === '') throw notARow()
  const { status_code, request_id, body } = fieldsOf(response)
  const requestId = stringOf(request_id)
  if (status_code === 200) return answeredRow(custom_id, () => replyOfResponse(body, requestId))
  const { code } = fieldsOf(error)
  if (code === 'batch_expired') return unrunRow(custom_id, 'expired')
  if (code === 'batch_cancelled') return unrunRow(custom_id, 'canceled')
  // A row in the error file may have its error in the body of a response, or next to it.
  const said = fieldsOf(fieldsOf(body).error ?? error)
  const status = typeof status_code === 'number' ? status_code : undefined
  return failedRow(custom_id, failureError(failureOf(said, status), { vendor: 'OpenAI', requestId }))
}
