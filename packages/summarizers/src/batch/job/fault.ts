import { TenfoldError } from '@tenfold/core'

/** An error that concerns one batch or one session; any other is thrown. */
export function asFault(error: unknown): TenfoldError {
  if (TenfoldError.isInstance(error) && error.code !== 'batch-taken-over') return error
  throw error
}
