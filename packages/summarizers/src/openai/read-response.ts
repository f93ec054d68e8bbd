import { cutHead, fieldsOf, listOf, stringOf } from '@tenfold/core/internal/summarizer'
import { reportedError } from '../provider/call-error.ts'
import { ModelError, type ModelReply } from '../provider/model.ts'
import type { Answer } from '../provider/run-call.ts'
import { factsOf, type ServerEvent } from './read-events.ts'

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
export function responseAnswer(): Answer<ServerEvent> {
  let last: unknown
  let requestId: string | undefined
  let begun = false
  return {
    begin(id) {
      begun = true
      requestId = id ?? undefined
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

/** Text of the messages, without the comments that a model makes on its way to the answer. */
function contentOf(output: unknown): { text: string; refusal: string } {
  const messages = listOf(output)
    .map((item) => fieldsOf(item))
    .filter(({ type, phase }) => type === 'message' && phase !== 'commentary')
  const parts = messages.flatMap(({ content }) => listOf(content).map((part) => fieldsOf(part)))
  const joined = (type: string, field: string) =>
    parts.map((part) => (part.type === type ? (stringOf(part[field]) ?? '') : '')).join('')
  return { text: joined('output_text', 'text'), refusal: joined('refusal', 'refusal') }
}
