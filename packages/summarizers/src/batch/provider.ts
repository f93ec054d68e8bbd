import type { TokenUsage } from '@tenfold/core'
import type { SummarizerFailure } from '@tenfold/core/summarizer'
import type { ModelError, ModelReply, ModelRequest } from '../provider/model.ts'

/** One request of a batch. `customId` is `[a-zA-Z0-9_-]{1,64}` and never used twice. */
export interface BatchRequest {
  /** Ties the answer to the request. */
  readonly customId: string
  /** What the model is asked. */
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

/** Outcome of a submission. `refused`: there is certainly no batch; `unknown`: the answer was lost. */
export type SubmissionResult =
  | { readonly outcome: 'created'; readonly batch: VendorBatch }
  | { readonly outcome: 'refused' | 'unknown'; readonly error: ModelError }

/** The submission to search for: its job, its number there, its requests, and when it began. */
export interface SubmissionQuery {
  /** Id of the job. */
  readonly job: string
  /** Number of the submission. */
  readonly attempt: number
  /** Of its requests. */
  readonly customIds: readonly string[]
  /** When it was begun. */
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
  /** Whether there are results yet. */
  readonly state: 'running' | 'ended' | 'failed'
  /** How many were submitted. */
  readonly requests: number
  /** How many have an answer. */
  readonly succeeded: number
  /** How many have none. */
  readonly failed: number
  /** ISO 8601; results are gone after that. */
  readonly expiresAt?: string
  /** Present if it failed. */
  readonly failure?: BatchRowError
}

/** Why a request of a batch has no reply. `usage` is what was billed for it anyway. */
export interface BatchRowError {
  /** Why there is no answer, for programs. */
  readonly reason: SummarizerFailure
  /** Whether the same request may succeed in another batch. */
  readonly retryable: boolean
  /** Why there is no answer. */
  readonly message: string
  /** What was billed all the same. */
  readonly usage?: TokenUsage
  /** The vendor's id. */
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

/** How a call to the vendor is made. */
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
  /** Model that answers. */
  readonly model: string
  /** Address that requests go to. */
  readonly endpoint: string
  /** First 12 hex digits of the SHA-256 of the API key; absent if there is none. */
  readonly keyFingerprint?: string
  /** Limits of the model. */
  readonly window: ModelWindow
  /** Most requests, and most bytes, of one batch. */
  readonly maxRequests: number
  /** Largest batch. */
  readonly maxBytes: number
  /** Bytes that a request takes of `maxBytes`. */
  size(request: BatchRequest): number
  /** Has the vendor check a request without running it, if that is free. Throws ModelError if it would fail. */
  check?(request: BatchRequest, options: BatchCallOptions): Promise<void>
  /** Submits the requests as one batch. */
  submit(
    requests: readonly BatchRequest[],
    options: BatchCallOptions & { readonly job: string; readonly attempt: number },
  ): Promise<SubmissionResult>
  /** Searches for a batch whose submission got no answer. */
  find(wanted: SubmissionQuery, options: BatchCallOptions): Promise<SubmissionLookup>
  /** Asks for the state of a batch. */
  status(batchId: string, options: BatchCallOptions): Promise<BatchState>
  /**
   * Rows of an ended batch. Throws a retryable ModelError if the download breaks off, and BatchError
   * `batch-results-gone` if the vendor has deleted them.
   */
  results(batchId: string, options: BatchCallOptions): AsyncIterable<BatchRow>
  /** Asks the vendor to end the batch; finished requests are billed, and their rows can be read. */
  cancel(batchId: string, options: BatchCallOptions): Promise<void>
}
