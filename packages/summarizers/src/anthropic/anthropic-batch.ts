import type Anthropic from '@anthropic-ai/sdk'
import { fieldsOf, known, stringOf } from '@tenfold/core/internal/summarizer'
import { TenfoldError } from '@tenfold/core/summarizer'
import { BatchError, resultsGone } from '../batch/batch-error.ts'
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
import { failureError, failureOf } from '../provider/failures.ts'
import { ModelError } from '../provider/model.ts'
import { anthropicClient, anthropicError } from './anthropic-client.ts'
import { type MessageParamsOptions, messageParams } from './message-params.ts'
import { type MessageSoFar, replyOf } from './read-message.ts'

type Batch = Anthropic.Messages.MessageBatch

/** The part of a client of the SDK that is used. */
export type AnthropicBatchClient = Pick<Anthropic, 'messages' | 'get' | 'baseURL' | 'apiKey'>

/** The window defaults to that of {@link anthropicSummarizer}. */
export interface AnthropicBatchOptions extends MessageParamsOptions, WindowOptions {
  /** @default ANTHROPIC_API_KEY, otherwise what the SDK finds */
  readonly apiKey?: string | undefined
  /** @default ANTHROPIC_BASE_URL, otherwise https://api.anthropic.com */
  readonly baseURL?: string | undefined
  /** Your own client, instead of `apiKey` and `baseURL`. Its retries are turned off for these calls. */
  readonly client?: AnthropicBatchClient | undefined
}

/** Bytes of the request's body around its rows, which count towards the vendor's limit. */
const frameBytes = 40

/**
 * Anthropic's message batches, at half the price. A batch has no field for a name of our own, so a submission whose
 * answer was lost is recognized by its time and number of requests, and with certainty only by the ids in its results.
 * Rejects with TenfoldError `missing-package` without the package `@anthropic-ai/sdk`.
 * https://platform.claude.com/docs/en/build-with-claude/batch-processing
 */
export async function anthropicBatch(options: AnthropicBatchOptions): Promise<BatchProvider> {
  if (typeof options.model !== 'string' || options.model === '')
    throw new TypeError('model: expected the name of a Claude model')
  const client = await clientOf(options)
  const secrets = client.apiKey === null ? [] : [client.apiKey]
  const { batches } = client.messages
  const { call, submit } = vendorCalls((error) => anthropicError(error, { secrets }))

  const rowOf = ({ customId, request }: BatchRequest) => ({
    custom_id: customId,
    params: messageParams(request, options),
  })

  const retrieve = (batchId: string, signal: AbortSignal) =>
    call(
      signal,
      (options) => batches.retrieve(batchId, {}, options),
      () => resultsGone(batchId, 'Anthropic does not know it; does the API key belong to another workspace?'),
    )

  return {
    name: 'anthropic',
    ...providerHead(options, client, windows.anthropic),
    maxRequests: 100_000,
    maxBytes: 256_000_000 - frameBytes,
    size: (request) => Buffer.byteLength(JSON.stringify(rowOf(request))) + 1,
    async check(request, { signal }) {
      const { model, messages, system, thinking, tools, output_config } = rowOf(request).params
      const body = { model, messages, ...known({ system, thinking, tools, output_config }) }
      await call(signal, (options) => client.messages.countTokens(body, options))
    },
    // A retry after a lost answer would create and bill a second batch.
    submit: (requests, { signal }) =>
      submit(signal, async (options) =>
        vendorBatch(await batches.create({ requests: requests.map(rowOf) }, options)),
      ),
    find: (wanted, { signal }) =>
      findAnthropicBatch(wanted, {
        batches: listed((after) =>
          call(signal, (options) => batches.list({ limit: 100, ...known({ after_id: after }) }, options)),
        ),
        results: (batch) => results(batch, signal),
      }),
    async status(batchId, { signal }) {
      return stateOf(await retrieve(batchId, signal))
    },
    async *results(batchId, { signal }) {
      for await (const line of results(await retrieve(batchId, signal), signal))
        yield batchRowOf(line, secrets)
    },
    async cancel(batchId, { signal }) {
      await call(signal, (options) => batches.cancel(batchId, {}, options))
    },
  }

  async function* results(batch: Batch, signal: AbortSignal): AsyncGenerator<unknown> {
    const { id, results_url, archived_at } = batch
    if (results_url === null)
      throw resultsGone(
        id,
        archived_at === null ? 'it has no results' : 'its results were deleted after 29 days',
      )
    if (!hasOrigin(results_url, client.baseURL))
      throw new BatchError(
        'batch-foreign-host',
        `The results of batch ${id} are on another host than ${client.baseURL}, according to Anthropic, and that host would get the API key. Nothing was fetched.`,
      )
    const headers = { Accept: 'application/binary' }
    // Following a redirect would send the API key to its target.
    const fetchOptions = { redirect: 'error' } as const
    const response = await call(
      signal,
      (options) => client.get(results_url, { ...options, headers, fetchOptions }).asResponse(),
      () => resultsGone(id, 'its results are deleted'),
    )
    yield* jsonLines(response, signal)
  }
}

function hasOrigin(url: string, baseURL: string): boolean {
  return URL.canParse(url) && new URL(url).origin === new URL(baseURL).origin
}

function stateOf(batch: Batch): BatchState {
  const { processing, succeeded, errored, canceled, expired } = batch.request_counts
  return {
    state: batch.processing_status === 'ended' ? 'ended' : 'running',
    requests: processing + succeeded + errored + canceled + expired,
    succeeded,
    failed: errored + canceled + expired,
    expiresAt: isoTime(batch.expires_at),
  }
}

async function clientOf({ client, apiKey, baseURL }: AnthropicBatchOptions): Promise<AnthropicBatchClient> {
  if (client === undefined) return await anthropicClient({ apiKey, baseURL })
  if (apiKey === undefined && baseURL === undefined) return client
  throw new TypeError('client: expected either a client, or apiKey and baseURL to create one')
}

/** The API calls that the search uses. */
interface BatchSearch {
  /** All batches, newest first. */
  readonly batches: AsyncIterable<Batch>
  results(batch: Batch): AsyncIterable<unknown>
}

/** Maximum difference between the clocks of both sides. */
const skewMs = 10 * 60_000

/** Maximum duration of a submission with all its tries. A batch created later is a different one. */
const maxMs = 60 * 60_000

/**
 * Finds the batch of a submission among those that were created since then and have the same number of requests. Only
 * the ids in a batch's results identify it with certainty, so the outcome is known only when the batch has ended.
 */
export async function findAnthropicBatch(
  wanted: SubmissionQuery,
  search: BatchSearch,
): Promise<SubmissionLookup> {
  const ids = new Set(wanted.customIds)
  let pending: string | undefined
  let uncertain: string | undefined
  for (const batch of await candidates(wanted, search)) {
    if (batch.processing_status !== 'ended') {
      pending ??= `batch ${batch.id} may be the submitted one; this will be known when it has ended`
      continue
    }
    const own = await isOwn(batch, ids, search)
    if (own === true) return { outcome: 'found', batch: vendorBatch(batch) }
    if (own === undefined)
      uncertain ??= `batch ${batch.id} may be the submitted one, but its results are deleted`
  }
  if (pending !== undefined) return { outcome: 'pending', reason: pending }
  return uncertain === undefined ? { outcome: 'none' } : { outcome: 'uncertain', reason: uncertain }
}

async function candidates(wanted: SubmissionQuery, search: BatchSearch): Promise<Batch[]> {
  const oldest = wanted.since.getTime() - skewMs
  const newest = wanted.since.getTime() + maxMs + skewMs
  const found: Batch[] = []
  for await (const batch of search.batches) {
    const made = Date.parse(batch.created_at)
    if (made < oldest) break
    if (made > newest || wanted.notThese.has(batch.id)) continue
    if (stateOf(batch).requests === wanted.customIds.length) found.push(batch)
  }
  return found
}

/** Undefined if there are no results to compare. */
async function isOwn(
  batch: Batch,
  ids: ReadonlySet<string>,
  search: BatchSearch,
): Promise<boolean | undefined> {
  try {
    for await (const line of search.results(batch)) {
      return ids.has(stringOf(fieldsOf(line).custom_id) ?? '')
    }
    return undefined
  } catch (error) {
    if (TenfoldError.isInstance(error) && error.code === 'batch-results-gone') return undefined
    throw error
  }
}

/** The fields to store of a created batch. */
function vendorBatch(batch: Batch): VendorBatch {
  return { batchId: batch.id, createdAt: isoTime(batch.created_at), expiresAt: isoTime(batch.expires_at) }
}

/** Normalizes a time, because the API varies in fractions of a second and in offsets. */
function isoTime(time: string): string {
  return new Date(time).toISOString()
}

/** Parses a line of a batch's results. Throws a retryable ModelError if it is not a row. */
export function batchRowOf(line: unknown, secrets: readonly string[]): BatchRow {
  const { custom_id, result } = fieldsOf(line)
  const { type, message, error } = fieldsOf(result)
  if (typeof custom_id !== 'string' || type === undefined) throw notARow()
  if (type === 'expired' || type === 'canceled') return unrunRow(custom_id, type)
  if (type === 'succeeded') {
    const { id } = fieldsOf(message)
    return answeredRow(custom_id, () => replyOf(message as MessageSoFar, stringOf(id)))
  }
  return failedRow(
    custom_id,
    type === 'errored'
      ? failureError(failureOf(fieldsOf(fieldsOf(error).error)), { vendor: 'Anthropic', secrets })
      : new ModelError('the provider gave a result of an unknown kind', { reason: 'unknown' }),
  )
}
