import { TenfoldError } from '../errors.ts'
import type { SummarizerCall } from './summarizer.ts'

/** Why a summarizer gave no summary. */
export type SummarizerFailure =
  /** The request is larger than the model takes: a smaller part may go through. */
  | 'prompt-too-long'
  /** The limits of the caller do not allow the call; nothing was sent. */
  | 'over-budget'
  | 'auth'
  /** A credit, quota or spend limit: trying again does not help. */
  | 'spend-limit'
  | 'rate-limited'
  | 'overloaded'
  | 'server-error'
  | 'connection'
  | 'timeout'
  /** The answer stopped coming. */
  | 'stalled'
  /** The answer ended without its end. */
  | 'cut-off'
  | 'refused'
  | 'content-filter'
  /** The answer reached the limit of output tokens, or of the model's window. */
  | 'truncated'
  | 'empty'
  /** The answer is longer than what it summarizes. */
  | 'inflated'
  /** The answer is no summary, also after a repair. */
  | 'invalid-output'
  | 'bad-request'
  | 'unknown'

export interface SummarizerErrorOptions extends ErrorOptions {
  /** @default 'unknown' */
  readonly reason?: SummarizerFailure
  readonly retryable?: boolean
  readonly calls?: readonly SummarizerCall[]
  /** Input tokens that the server takes, if the failure shows it. */
  readonly inputLimit?: number
}

/** A summarizer failed or returned what is no summary. Facts and trail are not lost by it. */
export class SummarizerError extends TenfoldError {
  readonly reason: SummarizerFailure
  /** True where the same request may go through later. */
  readonly retryable: boolean
  /** Calls made before it failed, with what they cost. */
  readonly calls: readonly SummarizerCall[]
  /** For `prompt-too-long`: input tokens that the server takes, if known. */
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
