import type Anthropic from '@anthropic-ai/sdk'
import type { TokenUsage } from '@tenfold/core/summarizer'
import { known, stringOf, tokenUsage } from '../provider/fields.ts'
import { ModelError, type ModelReply, type ModelStop } from '../provider/model.ts'

/** The parts of a message that make a reply: of a whole one, or of a stream so far. */
export type MessageSoFar = Pick<Anthropic.Message, 'content' | 'stop_reason'> & {
  readonly model?: string
  readonly usage: UsageSoFar
}

/** Anthropic's counts; each may be missing, as compatible servers leave some out. */
export type UsageSoFar = {
  readonly [K in
    | 'input_tokens'
    | 'output_tokens'
    | 'cache_read_input_tokens'
    | 'cache_creation_input_tokens']?: number | null
} & { readonly output_tokens_details?: { readonly thinking_tokens?: number | null } | null }

const stops = new Map<string, ModelStop>([
  ['end_turn', 'end'],
  ['stop_sequence', 'end'],
  ['max_tokens', 'max-tokens'],
  ['model_context_window_exceeded', 'context-exceeded'],
  ['refusal', 'refusal'],
])

/**
 * The reply in a message. Throws ModelError, with the usage, if the message stopped for a reason that gives no answer:
 * to use a tool, or an unknown one.
 */
export function replyOf(message: MessageSoFar, requestId?: string | null): ModelReply {
  const stop = stops.get(message.stop_reason ?? '')
  const { usage, model } = message
  const about = { usage: usageOf(usage), ...known({ model, requestId: stringOf(requestId) }) }
  if (stop === undefined)
    throw new ModelError(
      `Anthropic's answer stopped with ${JSON.stringify(message.stop_reason)}, which is not the end of an answer`,
      { reason: 'unknown', ...about },
    )
  return { text: answerOf(message.content), stop, ...about }
}

/** Usage in Tenfold's fields: input includes what the cache read and wrote, which Anthropic counts separately. */
export function usageOf(usage: UsageSoFar | null | undefined): TokenUsage {
  const { inputTokens, ...counts } = tokenUsage({
    inputTokens: usage?.input_tokens,
    outputTokens: usage?.output_tokens,
    cacheReadTokens: usage?.cache_read_input_tokens,
    cacheWriteTokens: usage?.cache_creation_input_tokens,
    reasoningTokens: usage?.output_tokens_details?.thinking_tokens,
  })
  if (inputTokens === undefined) return counts
  const { cacheReadTokens = 0, cacheWriteTokens = 0 } = counts
  return { inputTokens: inputTokens + cacheReadTokens + cacheWriteTokens, ...counts }
}

/** The last of several blocks of text that is a JSON object (prose may be next to it), otherwise all of them joined. */
function answerOf(content: readonly Anthropic.ContentBlock[]): string {
  const texts = content.flatMap((block) => (block.type === 'text' ? [block.text] : []))
  const joined = texts.join('')
  if (texts.length < 2 || isJsonObject(joined)) return joined
  return texts.findLast(isJsonObject) ?? joined
}

function isJsonObject(text: string): boolean {
  if (!text.trimStart().startsWith('{')) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
