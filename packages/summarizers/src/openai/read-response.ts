import { cutHead } from '@tenfold/core/internal/summarizer'
import type { TokenUsage } from '@tenfold/core/summarizer'
import { reportedError } from '../provider/call-error.ts'
import { fieldsOf, known, listOf, stringOf, tokenUsage } from '../provider/fields.ts'
import { ModelError, type ModelReply } from '../provider/model.ts'
import type { AnswerFacts, EventAnswer } from './read-events.ts'

/**
 * The reply in a Response object, which may be any JSON value. Throws ModelError, with the usage, if it failed or is
 * incomplete. https://platform.openai.com/docs/api-reference/responses/object
 */
export function replyOfResponse(response: unknown, requestId?: string): ModelReply {
  const { status, error, incomplete_details, output } = fieldsOf(response)
  const facts = factsOf(response, requestId)
  if (status === 'failed' || (status === undefined && Object.keys(fieldsOf(error)).length > 0))
    throw reportedError(error, facts)
  if (status === undefined)
    throw new ModelError("the server sent no Response object; if it has no Responses API, use api 'chat'", {
      reason: 'bad-request',
      ...facts,
    })
  const { reason } = fieldsOf(incomplete_details)
  const { text, refusal } = contentOf(output)
  if (status === 'completed')
    return refusal === '' ? { text, stop: 'end', ...facts } : { text: refusal, stop: 'refusal', ...facts }
  if (status === 'incomplete' && reason === 'max_output_tokens') return { text, stop: 'max-tokens', ...facts }
  if (status === 'incomplete' && reason === 'content_filter')
    return { text, stop: 'content-filter', ...facts }
  throw new ModelError(`the answer was cut off: its status is ${cutHead(JSON.stringify(status), 40)}`, {
    reason: 'cut-off',
    retryable: true,
    ...facts,
  })
}

/** Collects the events of a Responses stream, or the one object that a server sends instead. */
export function responseAnswer(): EventAnswer {
  let last: unknown
  let requestId: string | undefined
  let begun = false
  return {
    begin(id) {
      begun = true
      requestId = id
    },
    add({ name, data }) {
      if (data === '[DONE]') return true
      const event = fieldsOf(data)
      const isWhole = event.type === undefined
      if (
        event.type === 'error' ||
        name === 'error' ||
        (isWhole && event.error && event.status === undefined)
      )
        throw reportedError(event.error ?? event, factsOf(last, requestId))
      if (isWhole) last = data
      if (event.response !== undefined) last = event.response
      return isWhole || terminal.has(event.type)
    },
    // Only the event that ends the stream contains the answer.
    whole: () => false,
    facts: () => ({ answering: begun, ...factsOf(last, requestId) }),
    reply: () => replyOfResponse(last ?? { status: 'in_progress' }, requestId),
  }
}

const terminal = new Set<unknown>(['response.completed', 'response.incomplete', 'response.failed'])

function factsOf(response: unknown, requestId?: string): AnswerFacts {
  const { usage, model, id } = fieldsOf(response)
  return { usage: usageOf(usage), ...known({ model: stringOf(model), requestId: requestId ?? stringOf(id) }) }
}

/** `input_tokens` includes what was read from the cache, `output_tokens` the reasoning. */
function usageOf(value: unknown): TokenUsage {
  const { input_tokens, output_tokens, input_tokens_details, output_tokens_details } = fieldsOf(value)
  const input = fieldsOf(input_tokens_details)
  return tokenUsage({
    inputTokens: input_tokens,
    outputTokens: output_tokens,
    cacheReadTokens: input.cached_tokens,
    cacheWriteTokens: input.cache_write_tokens,
    reasoningTokens: fieldsOf(output_tokens_details).reasoning_tokens,
  })
}

/** Text of the messages, without the comments that a model makes on its way to the answer. */
function contentOf(output: unknown): { text: string; refusal: string } {
  const messages = listOf(output)
    .map(fieldsOf)
    .filter(({ type, phase }) => type === 'message' && phase !== 'commentary')
  const parts = messages.flatMap(({ content }) => listOf(content).map(fieldsOf))
  const joined = (type: string, field: string) =>
    parts.map((part) => (part.type === type ? (stringOf(part[field]) ?? '') : '')).join('')
  return { text: joined('output_text', 'text'), refusal: joined('refusal', 'refusal') }
}
