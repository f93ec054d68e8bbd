import type { BilledUsage } from '../bill.ts'
import type { StandInCall } from '../call.ts'
import { jsonOf } from '../call.ts'
import { newId } from '../ids.ts'
import { type Outcome, refusalText } from '../outcome.ts'
import { type Frame, pieces, sseEvent } from '../reply.ts'
import type { Wire } from '../wire.ts'
import { readResponses } from './openai-request.ts'

/** `POST /v1/responses`. https://platform.openai.com/docs/api-reference/responses */
export const openaiResponses: Wire = {
  streamType: 'text/event-stream; charset=utf-8',
  read: readResponses,
  body: (call, outcome) => finished(responseOf(call), call, outcome),
  frames,
  errorFrame: (error) =>
    sseEvent(
      {
        type: 'error',
        code: error.code ?? 'server_error',
        message: error.message,
        param: null,
        sequence_number: 99,
      },
      'error',
    ),
  ping: ': ping\n\n',
}

function responseOf(call: StandInCall): Record<string, unknown> {
  return {
    id: newId('resp_'),
    object: 'response',
    created_at: Math.floor(Date.now() / 1000),
    completed_at: null,
    status: 'in_progress',
    background: false,
    error: null,
    incomplete_details: null,
    instructions: call.body.instructions ?? null,
    max_output_tokens: call.body.max_output_tokens ?? null,
    model: call.model,
    output: [],
    parallel_tool_calls: true,
    previous_response_id: null,
    prompt_cache_key: call.body.prompt_cache_key ?? null,
    reasoning: { effort: jsonOf(call.body.reasoning).effort ?? 'medium', summary: null },
    safety_identifier: null,
    service_tier: 'default',
    store: call.body.store ?? true,
    temperature: null,
    text: call.body.text ?? { format: { type: 'text' } },
    tool_choice: 'auto',
    tools: [],
    top_logprobs: 0,
    top_p: null,
    truncation: 'disabled',
    usage: null,
    metadata: call.body.metadata ?? {},
  }
}

function finished(
  response: Record<string, unknown>,
  call: StandInCall,
  outcome: Outcome,
  messageId = newId('msg_'),
): object {
  const status = statusOf(outcome)
  const reasoning =
    outcome.usage.reasoning > 0
      ? [{ id: newId('rs_'), type: 'reasoning', summary: [], encrypted_content: null }]
      : []
  const parts = partsOf(outcome)
  const message =
    status === 'failed'
      ? []
      : [
          {
            id: messageId,
            type: 'message',
            status: status === 'completed' ? 'completed' : 'incomplete',
            role: 'assistant',
            content: parts,
          },
        ]
  return {
    ...response,
    status,
    completed_at: status === 'completed' ? Math.floor(Date.now() / 1000) : null,
    error: status === 'failed' ? { code: outcome.failure, message: 'The model failed to answer.' } : null,
    incomplete_details: incompleteDetails(outcome),
    // In a stream the message is announced as output 0.
    output: call.stream ? message : [...reasoning, ...message],
    usage: outcome.noUsage ? null : usageOf(outcome.usage),
  }
}

function statusOf(outcome: Outcome): 'completed' | 'incomplete' | 'failed' {
  if (outcome.stop === 'failed') return 'failed'
  return outcome.stop === 'end' || outcome.stop === 'refusal' ? 'completed' : 'incomplete'
}

function incompleteDetails(outcome: Outcome): object | null {
  if (outcome.stop === 'content_filter') return { reason: 'content_filter' }
  return outcome.stop === 'max_tokens' || outcome.stop === 'context_exceeded'
    ? { reason: 'max_output_tokens' }
    : null
}

function partsOf(outcome: Outcome): object[] {
  const texts = outcome.texts.map((text) => ({ type: 'output_text', text, annotations: [], logprobs: [] }))
  return outcome.stop === 'refusal' ? [...texts, { type: 'refusal', refusal: refusalText }] : texts
}

/** `input_tokens` includes the cache; `output_tokens` includes the reasoning. */
export function usageOf(usage: BilledUsage): object {
  return {
    input_tokens: usage.input,
    input_tokens_details: { cached_tokens: usage.cacheRead, cache_write_tokens: usage.cacheWrite },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: usage.reasoning },
    total_tokens: usage.input + usage.output,
  }
}

function frames(call: StandInCall, outcome: Outcome): Frame[] {
  const out: Frame[] = []
  const add = (part: Frame['part'], type: string, fields: object, chars = 0) =>
    out.push({ text: sseEvent({ type, sequence_number: out.length, ...fields }, type), part, chars })
  const response = responseOf(call)
  const id = newId('msg_')
  add('head', 'response.created', { response })
  add('head', 'response.in_progress', { response })
  const status = statusOf(outcome)
  if (status !== 'failed') {
    const item = { id, type: 'message', status: 'in_progress', role: 'assistant', content: [] }
    add('head', 'response.output_item.added', { output_index: 0, item })
    const parts = partsOf(outcome)
    for (const [content_index, part] of parts.entries()) {
      const at = { item_id: id, output_index: 0, content_index }
      const isText = 'text' in part
      const text = isText ? String(part.text) : refusalText
      const empty = isText ? { ...part, text: '' } : { ...part, refusal: '' }
      const name = isText ? 'response.output_text' : 'response.refusal'
      const logprobs = isText ? { logprobs: [] } : {}
      add(content_index === 0 ? 'head' : 'delta', 'response.content_part.added', { ...at, part: empty })
      for (const delta of pieces(text))
        add('delta', `${name}.delta`, { ...at, delta, ...logprobs }, delta.length)
      const ends = content_index === parts.length - 1 ? 'end' : 'delta'
      add(ends, `${name}.done`, { ...at, ...(isText ? { text } : { refusal: text }), ...logprobs })
      add(ends, 'response.content_part.done', { ...at, part })
    }
    const done = { ...item, status: status === 'completed' ? 'completed' : 'incomplete', content: parts }
    add('end', 'response.output_item.done', { output_index: 0, item: done })
  }
  add('close', `response.${status}`, { response: finished(response, call, outcome, id) })
  return out
}
