import type { TokenUsage } from '@tenfold/core'
import type { SummarizerFailure } from '@tenfold/core/summarizer'
import type { ModelError, ModelReply, ModelRequest } from '../provider/model.ts'

/** One request of a batch. `customId` matches `[a-zA-Z0-9_-]{1,64}` and is never reused. */
export interface BatchRequest {
  /** Ties the answer to the request. */
  readonly customId: string
  /** The request to the model. */
  readonly request: ModelRequest
}

/** A batch at the vendor. Times are ISO 8601. */
export interface VendorBatch {
  /** The vendor's id. */
  readonly batchId: string
  /** The vendor's id of the uploaded requests. */
  readonly fileId?: string
  /** ISO 8601. */
  readonly createdAt?: string
  /** ISO 8601. */
  readonly expiresAt?: string
}

/** Outcome of a submission. `refused`: no batch was created; `unknown`: the answer was lost. */
export type SubmissionResult =
  | { readonly outcome: 'created'; readonly batch: VendorBatch }
  | { readonly outcome: 'refused' | 'unknown'; readonly error: ModelError }

/** The submission to search for. */
export interface SubmissionQuery {
  /** Id of the job. */
  readonly job: string
  /** Number of the submission in the job. */
  readonly attempt: number
  /** Custom ids of its requests. */
  readonly customIds: readonly string[]
  /** When the submission began. */
  readonly since: Date
  /** Batches that are known to be different ones. */
  readonly notThese: ReadonlySet<string>
}

/**
 * `pending`: a batch may be the submitted one, which is known only when it has ended; `uncertain`: this cannot be
 * decided.
 */
export type SubmissionLookup =
  | { readonly outcome: 'found'; readonly batch: VendorBatch }
  | { readonly outcome: 'none' }
  | { readonly outcome: 'pending' | 'uncertain'; readonly reason: string }

/** State of a batch. `failed`: the vendor refused the whole batch and ran none of its requests. */
export interface BatchState {
  /** Whether there are results yet. */
  readonly state: 'running' | 'ended' | 'failed'
  /** Number of submitted requests. */
  readonly requests: number
  /** Number of requests with an answer. */
  readonly succeeded: number
  /** Number of requests that ended without an answer. */
  readonly failed: number
  /** When the results are deleted, ISO 8601. */
  readonly expiresAt?: string
  /** Present if the batch failed. */
  readonly failure?: BatchRowError
}

/** Why a request of a batch has no reply. */
export interface BatchRowError {
  /** Reason code. */
  readonly reason: SummarizerFailure
  /** Whether the same request may succeed in another batch. */
  readonly retryable: boolean
  /** Reason for people. */
  readonly message: string
  /** Usage that was billed anyway. */
  readonly usage?: TokenUsage
  /** The vendor's id of the request. */
  readonly requestId?: string
}

/** Outcome of one request: a reply or an error. */
export type BatchRow =
  | { readonly customId: string; readonly reply: ModelReply; readonly error?: never }
  | { readonly customId: string; readonly error: BatchRowError; readonly reply?: never }

/** How much of a model's context window a request may take, in the model's tokens. */
export interface ModelWindow {
  /** The whole window, including the answer. */
  readonly contextWindow: number
  /** Maximum tokens of an answer, including thinking. */
  readonly maxOutputTokens: number
  /** Maximum tokens of a request. @default the window without the answer */
  readonly maxInputTokens?: number
  /** Maximum tokens of the model per token of the counter. */
  readonly tokenFactor: number
}

/** Overrides of the default window, for an unknown model or to use less of the window. */
export type WindowOptions = { readonly [Name in keyof ModelWindow]?: ModelWindow[Name] | undefined }

/** Options for a call to the vendor. */
export interface BatchCallOptions {
  /** Aborts the call. */
  readonly signal: AbortSignal
}

/**
 * The batch API of a vendor. Laws: no method retries a call, above all not `submit`; failures are ModelErrors; the API
 * key is sent only to `endpoint`; an abort rejects with the reason of the signal.
 */
export interface BatchProvider {
  /** Name of the summarizer in bundles, such as `anthropic`. */
  readonly name: string
  /** Model that answers. */
  readonly model: string
  /** Address that requests go to. */
  readonly endpoint: string
  /** First 12 hex digits of the SHA-256 of the API key; absent if there is none. */
  readonly keyFingerprint?: string
  /** Limits of the model. */
  readonly window: ModelWindow
  /** Maximum requests per batch. */
  readonly maxRequests: number
  /** Maximum bytes per batch. */
  readonly maxBytes: number
  /** Bytes of a request that count towards `maxBytes`. */
  size(request: BatchRequest): number
  /** Lets the vendor check a request without running it, if that is free. Throws ModelError if it would fail. */
  check?(request: BatchRequest, options: BatchCallOptions): Promise<void>
  /** Submits the requests as one batch. */
  submit(
    requests: readonly BatchRequest[],
    options: BatchCallOptions & { readonly job: string; readonly attempt: number },
  ): Promise<SubmissionResult>
  /** Searches for the batch of a submission whose answer was lost. */
  find(wanted: SubmissionQuery, options: BatchCallOptions): Promise<SubmissionLookup>
  /** Asks for the state of a batch. */
  status(batchId: string, options: BatchCallOptions): Promise<BatchState>
  /**
   * Rows of an ended batch, in any order. Throws a retryable ModelError if the download breaks off, and BatchError
   * `batch-results-gone` if the vendor has deleted the rows.
   */
  results(batchId: string, options: BatchCallOptions): AsyncIterable<BatchRow>
  /** Asks the vendor to end the batch. Finished requests are billed, and their rows can be read. */
  cancel(batchId: string, options: BatchCallOptions): Promise<void>
}
