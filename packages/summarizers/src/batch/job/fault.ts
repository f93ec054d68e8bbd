import { TenfoldError } from '@tenfold/core'

/** Returns an error that concerns one batch or one session; throws any other. */
export function asFault(error: unknown): TenfoldError {
  if (TenfoldError.isInstance(error) && error.code !== 'batch-taken-over') return error
  throw error
}
