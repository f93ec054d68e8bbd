import {
  defaultEncoding,
  EncodingError,
  type EncodingName,
  tiktokenCounter as exactCounter,
} from '@tenfold/tokens'
import { TenfoldError } from '../errors.ts'
import type { TokenCounter } from './token-counter.ts'

/**
 * Counts exactly as tiktoken's `encode_ordinary`, with @tenfold/tokens; other threads can make it too. Throws
 * TenfoldError `unknown-encoding`, and `no-encoding-file` at the first count.
 */
export function tiktokenCounter(encoding: EncodingName = defaultEncoding): TokenCounter {
  const counter = coded(() => exactCounter(encoding))
  return {
    ...counter,
    recipe: { name: 'tiktokenCounter', args: [encoding] },
    // Not by `coded`: a bundle takes a million counts, and each would make a function.
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
