import { fieldsOf, listOf, stringOf } from '@tenfold/core/internal/summarizer'
import { reportedError } from '../provider/call-error.ts'
import { ModelError, type ModelReply, type ModelStop } from '../provider/model.ts'
import type { Answer } from '../provider/run-call.ts'
import { factsOf, type ServerEvent } from './read-events.ts'

/**
 * The reply in a ChatCompletion object of any server, which may be any JSON value. Throws ModelError, with the usage,
 * if it failed or is incomplete. https://platform.openai.com/docs/api-reference/chat/object
 */
export function replyOfChat(completion: unknown, requestId?: string): ModelReply {
  const { choices, error } = fieldsOf(completion)
  const facts = factsOf(completion, requestId)
  const choice = fieldsOf(listOf(choices)[0])
  // OpenRouter answers 200 and reports the failure in the body.
  if (error || choice.error) throw reportedError(error || choice.error, facts)
  const { finish_reason, message } = choice
  if (choices === undefined)
    throw new ModelError('the server sent no chat completion; check the base URL (often it ends in /v1)', {
      reason: 'bad-request',
      ...facts,
    })
  const { content, refusal } = fieldsOf(message)
  const stop = stopOf(finish_reason)
  if (finish_reason === 'error' || stop === undefined)
    throw new ModelError(
      finish_reason === 'error'
        ? 'the server failed while it answered'
        : 'the answer ended without a finish_reason',
      { reason: finish_reason === 'error' ? 'server-error' : 'cut-off', retryable: true, ...facts },
    )
  if (stringOf(refusal) !== undefined) return { text: String(refusal), stop: 'refusal', ...facts }
  return { text: stringOf(content) ?? '', stop, ...facts }
}

/** Collects the chunks of a chat stream, or the one object that a server sends instead. */
export function chatAnswer(): Answer<ServerEvent> {
  let text = ''
  let refusal = ''
  let finish: unknown
  let usage: unknown
  let head: Readonly<Record<string, unknown>> = {}
  let requestId: string | undefined
  let begun = false
  let came = false
  let choices: unknown
  const completion = () => ({
    id: head.id,
    model: head.model,
    usage,
    ...(choices !== undefined && {
      choices: [{ finish_reason: finish, message: { content: text, refusal } }],
    }),
  })
  return {
    begin(id) {
      begun = true
      requestId = id ?? undefined
    },
    add({ name, data }) {
      came = true
      if (data === '[DONE]') {
        finish ??= 'stop'
        choices ??= []
        return true
      }
      const chunk = fieldsOf(data)
      const choice = fieldsOf(listOf(chunk.choices)[0])
      head = { id: head.id ?? chunk.id, model: head.model ?? chunk.model }
      // Some servers count in each chunk: the last count covers all.
      usage = chunk.usage ?? usage
      const error =
        chunk.error || choice.error || (name === 'error' || chunk.object === 'error' ? chunk : undefined)
      if (error) throw reportedError(error, factsOf(completion(), requestId))
      if (Array.isArray(chunk.choices)) choices = chunk.choices
      const isWhole = choice.message !== undefined
      const part = fieldsOf(choice.message ?? choice.delta)
      text += stringOf(part.content) ?? ''
      refusal += stringOf(part.refusal) ?? ''
      finish = choice.finish_reason ?? (isWhole ? 'stop' : finish)
      return isWhole
    },
    whole: () => finish !== undefined,
    facts: () => ({ answering: begun, ...factsOf(completion(), requestId) }),
    reply: () => replyOfChat(came ? completion() : { choices: [] }, requestId),
  }
}

/** Servers have their own names for the natural end, but none for a cut stream. */
function stopOf(finishReason: unknown): ModelStop | undefined {
  const reason = stringOf(finishReason)
  if (reason === undefined || reason === 'abort') return undefined
  if (reason === 'length' || reason === 'max_tokens' || reason === 'model_length') return 'max-tokens'
  return reason === 'content_filter' ? 'content-filter' : 'end'
}
