import type Anthropic from '@anthropic-ai/sdk'
import { known, parse as parseJson, stringOf } from '@tenfold/core/internal/summarizer'
import type { TokenUsage } from '@tenfold/core/summarizer'
import { cutOff } from '../provider/call-error.ts'
import type { FailedCall } from '../provider/failures.ts'
import { ModelError, type ModelReply, type ModelStop } from '../provider/model.ts'
import type { Answer } from '../provider/run-call.ts'
import { tokenUsage } from '../provider/token-usage.ts'

/** The parts of a message that are used for a reply, from a whole message or a stream so far. */
export type MessageSoFar = Pick<Anthropic.Message, 'content' | 'stop_reason'> & {
  readonly model?: string
  readonly usage: UsageSoFar
}

/** Anthropic's counts. Each may be missing, because compatible servers leave some out. */
type UsageSoFar = {
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
 * The reply in a message. Throws ModelError, with the usage, if the message stopped without an answer: to use a tool,
 * or for an unknown reason.
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

/** Usage in Tenfold's fields. Input includes cache reads and writes, which Anthropic counts separately. */
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

/** The last text block that is a JSON object, because others may be prose. Otherwise all blocks joined. */
function answerOf(content: readonly Anthropic.ContentBlock[]): string {
  const texts = content.flatMap((block) => (block.type === 'text' ? [block.text] : []))
  const joined = texts.join('')
  if (texts.length < 2 || isJsonObject(joined)) return joined
  return texts.findLast(isJsonObject) ?? joined
}

function isJsonObject(text: string): boolean {
  return text.trimStart().startsWith('{') && parseJson(text) !== undefined
}

/**
 * Collects a streamed message. The SDK's own collector loses the usage if a stream ends without `message_stop`.
 * https://platform.claude.com/docs/en/build-with-claude/streaming
 */
export function streamedMessage(secrets: readonly string[]): Answer<Anthropic.RawMessageStreamEvent> {
  let message: MessageSoFar = { content: [], stop_reason: null, usage: {} }
  let requestId: string | undefined
  let contentType: string | undefined
  let begun = false
  let whole = false
  const facts = (): FailedCall => {
    const { usage, model } = message
    const answering = contentType !== undefined
    return { vendor: 'Anthropic', secrets, answering, usage: usageOf(usage), model, requestId }
  }
  return {
    begin(id, type) {
      requestId = id ?? undefined
      contentType = type ?? ''
    },
    add(event) {
      begun = true
      if (event.type === 'message_start') {
        // The output count here covers only the first token; the total arrives at the end.
        const { output_tokens: _, output_tokens_details: _details, ...usage } = given(event.message.usage)
        message = { ...event.message, content: [...event.message.content], usage }
      } else if (event.type === 'content_block_start') {
        message.content[event.index] = { ...event.content_block }
      } else if (event.type === 'content_block_delta') {
        const block = message.content[event.index]
        if (block?.type === 'text' && event.delta.type === 'text_delta') block.text += event.delta.text
      } else if (event.type === 'message_delta') {
        // Counts are cumulative; null in the delta keeps the value.
        const usage = { ...message.usage, ...given(event.usage) }
        message = { ...message, stop_reason: event.delta.stop_reason, usage }
      } else if (event.type === 'message_stop') whole = true
      return false
    },
    whole: () => whole,
    facts,
    reply() {
      if (whole) return replyOf(message, requestId)
      if (begun || !/json|html/i.test(contentType ?? '')) throw cutOff(undefined, facts())
      throw new ModelError('Anthropic answered without a stream of events: is the base URL right?', {
        reason: 'bad-request',
        ...facts(),
      })
    },
  }
}

/** The fields that are not null. Compatible servers leave all of them out. */
function given<T extends object>(values: T | null | undefined): Partial<T> {
  return Object.fromEntries(Object.entries(values ?? {}).filter(([, value]) => value != null)) as Partial<T>
}
