import type { SummarizerFailure, TokenUsage } from '@tenfold/core'
import type { ModelError, ModelReply, ModelRequest } from '../../model/model.ts'

/** One request of a batch. `customId` is `[a-zA-Z0-9_-]{1,64}` and never used twice. */
export interface BatchRequest {
  readonly customId: string
  readonly request: ModelRequest
}

/** A batch at the vendor. Times are ISO 8601. */
export interface VendorBatch {
  readonly batchId: string
  readonly fileId?: string
  readonly createdAt?: string
  readonly expiresAt?: string
}

/** What became of a submission. `refused`: it is certain that there is no batch; `unknown`: the answer was lost. */
export type SubmissionResult =
  | { readonly outcome: 'created'; readonly batch: VendorBatch }
  | { readonly outcome: 'refused' | 'unknown'; readonly error: ModelError }

/** Which submission to look for: its job, its number there, its requests, and when it began. */
export interface SubmissionQuery {
  readonly job: string
  readonly attempt: number
  readonly customIds: readonly string[]
  readonly since: Date
  /** Batches that are known to be others. */
  readonly notThese: ReadonlySet<string>
}

/** `pending`: a batch may be the one, which is known when it has ended; `uncertain`: nothing here can tell. */
export type SubmissionLookup =
  | { readonly outcome: 'found'; readonly batch: VendorBatch }
  | { readonly outcome: 'none' }
  | { readonly outcome: 'pending' | 'uncertain'; readonly reason: string }

/** State of a batch. `failed`: the vendor refused it as a whole and ran nothing of it. */
export interface BatchState {
  readonly state: 'running' | 'ended' | 'failed'
  readonly requests: number
  readonly succeeded: number
  readonly failed: number
  readonly expiresAt?: string
  /** Present where it failed. */
  readonly failure?: BatchRowError
}

/** Why a request of a batch has no reply. `usage` is what was billed for it all the same. */
export interface BatchRowError {
  readonly reason: SummarizerFailure
  /** True where the same request may go through in another batch. */
  readonly retryable: boolean
  readonly message: string
  readonly usage?: TokenUsage
  readonly requestId?: string
}

/** What became of one request: a reply or an error, in any order. */
export type BatchRow =
  | { readonly customId: string; readonly reply: ModelReply; readonly error?: never }
  | { readonly customId: string; readonly error: BatchRowError; readonly reply?: never }

/** What of a model's window a request may take, in its tokens. */
export interface ModelWindow {
  /** The whole window, answer included. */
  readonly contextWindow: number
  /** A model that thinks takes its thoughts from it. */
  readonly maxOutputTokens: number
  /** Most tokens of a request. @default what the answer leaves of the window */
  readonly maxInputTokens?: number
  /** Tokens of the model for one of the counter, at most. */
  readonly tokenFactor: number
}

export interface BatchCallOptions {
  readonly signal: AbortSignal
}

/**
 * The batch API of a vendor. Laws: no call is repeated inside, above all not `submit`; failures are ModelErrors; the key
 * goes to `endpoint` only; an abort rejects with the reason of the signal.
 */
export interface BatchProvider {
  /** Name of the summarizer in bundles: `anthropic`. */
  readonly name: string
  readonly model: string
  readonly endpoint: string
  /** First 12 hex digits of the SHA-256 of the API key; absent where there is none. */
  readonly keyFingerprint?: string
  readonly window: ModelWindow
  /** Most requests, and most bytes, of one batch. */
  readonly maxRequests: number
  readonly maxBytes: number
  /** Bytes that a request takes of `maxBytes`. */
  size(request: BatchRequest): number
  /** Has the vendor look at a request without running it, where that costs nothing. Throws ModelError where it would fail. */
  check?(request: BatchRequest, options: BatchCallOptions): Promise<void>
  submit(
    requests: readonly BatchRequest[],
    options: BatchCallOptions & { readonly job: string; readonly attempt: number },
  ): Promise<SubmissionResult>
  /** Looks for a batch whose submission got no answer. */
  find(wanted: SubmissionQuery, options: BatchCallOptions): Promise<SubmissionLookup>
  status(batchId: string, options: BatchCallOptions): Promise<BatchState>
  /**
   * Rows of an ended batch. Throws a retryable ModelError where the download breaks off, and BatchError
   * `batch-results-gone` where the vendor has deleted them.
   */
  results(batchId: string, options: BatchCallOptions): AsyncIterable<BatchRow>
  /** Asks the vendor to end the batch; requests that ran stay billed, and their rows can be read. */
  cancel(batchId: string, options: BatchCallOptions): Promise<void>
}
