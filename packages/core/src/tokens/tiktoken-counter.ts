import {
  defaultEncoding,
  EncodingError,
  type EncodingName,
  tiktokenCounter as exactCounter,
} from '@tenfold/tokens'
import { TenfoldError } from '../errors.ts'
import type { TokenCounter } from './token-counter.ts'

/**
 * Counts exactly like tiktoken's `encode_ordinary`, by @tenfold/tokens. Throws TenfoldError `unknown-encoding`, and
 * `no-encoding-file` at the first count.
 */
export function tiktokenCounter(encoding: EncodingName = defaultEncoding): TokenCounter {
  const counter = coded(() => exactCounter(encoding))
  return {
    ...counter,
    recipe: { name: 'tiktokenCounter', args: [encoding] },
    // Does not use `coded`, which would create a function for each of a million counts.
    count(text) {
      try {
        return counter.count(text)
      } catch (error) {
        throw withCode(error)
      }
    },
  }
}

function coded<T>(make: () => T): T {
  try {
    return make()
  } catch (error) {
    throw withCode(error)
  }
}

function withCode(error: unknown): unknown {
  return error instanceof EncodingError
    ? new TenfoldError(error.code, error.message, { cause: error })
    : error
}
