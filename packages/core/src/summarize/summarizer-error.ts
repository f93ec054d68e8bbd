import { TenfoldError } from '../errors.ts'
import type { SummarizerCall } from './summarizer.ts'

/** A summarizer failed or returned what is no judgement. Facts and trail are not lost by it. */
export class SummarizerError extends TenfoldError {
  readonly retryable: boolean
  /** Calls made before it failed, with what they cost. */
  readonly calls: readonly SummarizerCall[]

  constructor(
    message: string,
    options?: ErrorOptions & { retryable?: boolean; calls?: readonly SummarizerCall[] },
  ) {
    super('summarizer-failed', message, options)
    this.name = 'SummarizerError'
    this.retryable = options?.retryable ?? false
    this.calls = options?.calls ?? []
  }
}
