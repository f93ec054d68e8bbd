import { cleanLine } from '@tenfold/core/internal/summarizer'
import type { SummarizerCall, TokenUsage } from '@tenfold/core/summarizer'
import { known, tokenUsage } from '../provider/fields.ts'
import type { ModelError, ModelReply } from '../provider/model.ts'

/** The error of a call, in one line. */
export function ledgerError({ reason, message }: ModelError): string {
  return cleanLine(reason === 'unknown' ? message : `${reason}: ${message}`).slice(0, 300)
}

/** The fields of a ledger entry that a reply, or the error of a call without one, provides. */
export function ledgerEntry(from: ModelReply | ModelError | undefined): Pick<SummarizerCall, 'usage'> {
  if (from === undefined) return { usage: {} }
  const { usage, model, requestId } = from
  return {
    ...known({ model, requestId, stop: 'stop' in from ? from.stop : undefined }),
    usage: knownUsage(usage),
  }
}

/** Drops fields of a usage that are not counts: an unknown number is absent, not 0. */
export function knownUsage(usage: TokenUsage | undefined): TokenUsage {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens } = usage ?? {}
  return tokenUsage({ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens })
}
