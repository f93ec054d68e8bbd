import type Anthropic from '@anthropic-ai/sdk'
import type { MessageSoFar } from './read-message.ts'

type StreamEvent = Anthropic.RawMessageStreamEvent

/** Received part of a streamed message; it grows as events arrive. */
export interface StreamedMessage {
  message: MessageSoFar
  /** True from `message_stop` on: the message is complete. */
  whole: boolean
  /** True from the first event on. */
  begun: boolean
}

/** A message of which nothing has arrived yet. */
export function newStreamedMessage(): StreamedMessage {
  return { message: { content: [], stop_reason: null, usage: {} }, whole: false, begun: false }
}

/**
 * Adds one event to a message. Not the SDK's own collector, which loses the usage if a stream ends without
 * `message_stop`. https://platform.claude.com/docs/en/build-with-claude/streaming
 */
export function takeEvent(streamed: StreamedMessage, event: StreamEvent): void {
  streamed.begun = true
  const { message } = streamed
  switch (event.type) {
    case 'message_start': {
      // Output is counted only at the end: the count at this point covers the first token.
      const { output_tokens: _, output_tokens_details: _details, ...usage } = known(event.message.usage)
      streamed.message = { ...event.message, content: [...event.message.content], usage }
      return
    }
    case 'content_block_start':
      message.content[event.index] = { ...event.content_block }
      return
    case 'content_block_delta': {
      const block = message.content[event.index]
      if (block?.type === 'text' && event.delta.type === 'text_delta') block.text += event.delta.text
      return
    }
    case 'message_delta':
      // Counts are cumulative; null in the delta keeps the value.
      streamed.message = {
        ...message,
        stop_reason: event.delta.stop_reason,
        usage: { ...message.usage, ...known(event.usage) },
      }
      return
    case 'message_stop':
      streamed.whole = true
  }
}

/** The fields that are not null. Compatible servers leave all of them out. */
function known<T extends object>(values: T | null | undefined): Partial<T> {
  return Object.fromEntries(Object.entries(values ?? {}).filter(([, value]) => value != null)) as Partial<T>
}
