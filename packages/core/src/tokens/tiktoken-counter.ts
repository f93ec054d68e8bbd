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
    count: (text) => coded(() => counter.count(text)),
  }
}

function coded<T>(count: () => T): T {
  try {
    return count()
  } catch (error) {
    if (!(error instanceof EncodingError)) throw error
    throw new TenfoldError(error.code, error.message, { cause: error })
  }
}
