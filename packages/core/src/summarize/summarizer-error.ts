import { TenfoldError } from '../errors.ts'
import type { SummarizerCall } from './summarizer.ts'

/** Why a summarizer returned no summary. */
export const summarizerFailures = [
  /** The request is too large for the model: a smaller part may succeed. */
  'prompt-too-long',
  /** The caller's limits do not allow the call; nothing was sent. */
  'over-budget',
  'auth',
  /** A credit, quota or spend limit: a retry does not help. */
  'spend-limit',
  'rate-limited',
  'overloaded',
  'server-error',
  'connection',
  'timeout',
  /** No more of the answer arrived. */
  'stalled',
  /** The answer ended prematurely. */
  'cut-off',
  'refused',
  'content-filter',
  /** The answer reached the limit of output tokens, or of the model's window. */
  'truncated',
  'empty',
  /** The answer is longer than the text that it summarizes. */
  'inflated',
  /** The answer is not a valid summary, even after a repair. */
  'invalid-output',
  'bad-request',
  'unknown',
] as const

/** Why a summary failed: one of {@link summarizerFailures}. */
export type SummarizerFailure = (typeof summarizerFailures)[number]

/** Details of the failed call. */
export interface SummarizerErrorOptions extends ErrorOptions {
  /** @default 'unknown' */
  readonly reason?: SummarizerFailure | undefined
  /** Whether the same request may succeed later. @default false */
  readonly retryable?: boolean | undefined
  /** All calls made, which may be billed. */
  readonly calls?: readonly SummarizerCall[] | undefined
  /** Maximum input tokens of the server, if the failure shows it. */
  readonly inputLimit?: number | undefined
}

/** A summarizer failed or returned an invalid summary. Facts and trail are not affected. */
export class SummarizerError extends TenfoldError {
  /** Why there is no summary. */
  readonly reason: SummarizerFailure
  /** True if the same request may succeed later. */
  readonly retryable: boolean
  /** Calls made before the failure, with their usage. */
  readonly calls: readonly SummarizerCall[]
  /** For `prompt-too-long`: maximum input tokens of the server, if known. */
  readonly inputLimit: number | undefined

  constructor(message: string, options: SummarizerErrorOptions = {}) {
    super('summarizer-failed', message, options)
    this.name = 'SummarizerError'
    this.reason = options.reason ?? 'unknown'
    this.retryable = options.retryable ?? false
    this.calls = options.calls ?? []
    this.inputLimit = options.inputLimit
  }
}
