import type Anthropic from '@anthropic-ai/sdk'
import { cutOff } from '../provider/call-error.ts'
import type { FailedCall } from '../provider/failures.ts'
import { ModelError } from '../provider/model.ts'
import type { Answer } from '../provider/run-call.ts'
import { type MessageSoFar, replyOf, usageOf } from './read-message.ts'

/** A streamed message; it grows as events arrive. */
export interface StreamedMessage extends Answer {
  /** Called with the head of the answer. */
  begin(requestId: string | null | undefined, contentType: string | null): void
  add(event: Anthropic.RawMessageStreamEvent): void
}

/**
 * Collects a streamed message. Not the SDK's own collector, which loses the usage if a stream ends without
 * `message_stop`. https://platform.claude.com/docs/en/build-with-claude/streaming
 */
export function streamedMessage(secrets: readonly string[]): StreamedMessage {
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
        // Output is counted only at the end: the count at this point covers the first token.
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
