import type { TokenUsage } from '@tenfold/core'
import type { SummarizerFailure } from '@tenfold/core/summarizer'
import type { ModelError, ModelReply, ModelRequest } from '../provider/model.ts'

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

/** Outcome of a submission. `refused`: there is certainly no batch; `unknown`: the answer was lost. */
export type SubmissionResult =
  | { readonly outcome: 'created'; readonly batch: VendorBatch }
  | { readonly outcome: 'refused' | 'unknown'; readonly error: ModelError }

/** The submission to search for: its job, its number there, its requests, and when it began. */
export interface SubmissionQuery {
  readonly job: string
  readonly attempt: number
  readonly customIds: readonly string[]
  readonly since: Date
  /** Batches that are known to be others. */
  readonly notThese: ReadonlySet<string>
}

/**
 * `pending`: a batch may be the one, which will be known when it has ended; `uncertain`: nothing here can settle it.
 */
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
  /** Present if it failed. */
  readonly failure?: BatchRowError
}

/** Why a request of a batch has no reply. `usage` is what was billed for it anyway. */
export interface BatchRowError {
  readonly reason: SummarizerFailure
  /** Whether the same request may succeed in another batch. */
  readonly retryable: boolean
  readonly message: string
  readonly usage?: TokenUsage
  readonly requestId?: string
}

/** Outcome of one request: a reply or an error, in any order. */
export type BatchRow =
  | { readonly customId: string; readonly reply: ModelReply; readonly error?: never }
  | { readonly customId: string; readonly error: BatchRowError; readonly reply?: never }

/** How much of a model's window a request may take, in the model's tokens. */
export interface ModelWindow {
  /** The whole window, including the answer. */
  readonly contextWindow: number
  /** Thinking of the model counts too. */
  readonly maxOutputTokens: number
  /** Most tokens of a request. @default the window without the answer */
  readonly maxInputTokens?: number
  /** Most tokens of the model for one of the counter. */
  readonly tokenFactor: number
}

/** The window of a model that the adapter does not know, or less of one. */
export type WindowOptions = { readonly [Name in keyof ModelWindow]?: ModelWindow[Name] | undefined }

export interface BatchCallOptions {
  /** Ends the call. */
  readonly signal: AbortSignal
}

/**
 * The batch API of a vendor. Laws: no method retries a call by itself, above all not `submit`; failures are
 * ModelErrors; the key goes to `endpoint` only; an abort rejects with the reason of the signal.
 */
export interface BatchProvider {
  /** Name of the summarizer in bundles: `anthropic`. */
  readonly name: string
  readonly model: string
  readonly endpoint: string
  /** First 12 hex digits of the SHA-256 of the API key; absent if there is none. */
  readonly keyFingerprint?: string
  readonly window: ModelWindow
  /** Most requests, and most bytes, of one batch. */
  readonly maxRequests: number
  readonly maxBytes: number
  /** Bytes that a request takes of `maxBytes`. */
  size(request: BatchRequest): number
  /** Has the vendor check a request without running it, if that is free. Throws ModelError if it would fail. */
  check?(request: BatchRequest, options: BatchCallOptions): Promise<void>
  submit(
    requests: readonly BatchRequest[],
    options: BatchCallOptions & { readonly job: string; readonly attempt: number },
  ): Promise<SubmissionResult>
  /** Searches for a batch whose submission got no answer. */
  find(wanted: SubmissionQuery, options: BatchCallOptions): Promise<SubmissionLookup>
  status(batchId: string, options: BatchCallOptions): Promise<BatchState>
  /**
   * Rows of an ended batch. Throws a retryable ModelError if the download breaks off, and BatchError
   * `batch-results-gone` if the vendor has deleted them.
   */
  results(batchId: string, options: BatchCallOptions): AsyncIterable<BatchRow>
  /** Asks the vendor to end the batch; finished requests are billed, and their rows can be read. */
  cancel(batchId: string, options: BatchCallOptions): Promise<void>
}
