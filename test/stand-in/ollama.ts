import { isJson, type Json, jsonOf, type StandInCall, textOf, tokensOf } from './call.ts'
import type { Outcome } from './outcome.ts'
import { invalid, type ProviderError } from './provider-error.ts'
import { type Frame, pieces } from './reply.ts'
import type { Wire } from './wire.ts'

/** Tokens that Ollama reads if the request does not set `num_ctx`. https://docs.ollama.com/context-length */
const defaultContext = 4096

/** `POST /api/chat`: one JSON object, or a line of JSON for each piece. https://docs.ollama.com/api/chat */
export const ollamaChat: Wire = {
  streamType: 'application/x-ndjson',
  read,
  body: (call, outcome) => ({
    model: call.model,
    created_at: new Date().toISOString(),
    message: { role: 'assistant', content: outcome.texts.join('') },
    ...doneOf(outcome),
  }),
  frames,
  errorFrame: (error) => `${JSON.stringify({ error: error.message })}\n`,
  ping: '',
}

function read(body: Json): StandInCall | ProviderError {
  if (typeof body.model !== 'string' || body.model === '') return invalid('model is required')
  if (!Array.isArray(body.messages)) return invalid('messages is required')
  const format = body.format
  if (format !== undefined && format !== 'json' && format !== '' && !isJson(format))
    return invalid(`invalid format: expected "json" or a JSON schema`)
  const all = body.messages
    .map(jsonOf)
    .map((item) => ({ role: String(item.role), text: textOf(item.content) }))
  const options = jsonOf(body.options)
  const limit = options.num_predict
  return {
    provider: 'ollama',
    api: 'ollama',
    model: body.model,
    stream: body.stream !== false,
    system: all
      .filter(({ role }) => role === 'system')
      .map(({ text }) => text)
      .join('\n\n'),
    messages: all.filter(({ role }) => role !== 'system'),
    ...(isJson(format) ? { schema: format } : {}),
    ...(typeof limit === 'number' && limit > 0 ? { maxTokens: limit } : {}),
    window: typeof options.num_ctx === 'number' ? options.num_ctx : defaultContext,
    inputTokens: tokensOf(...all.map(({ text }) => text)),
    body,
  }
}

function doneOf(outcome: Outcome): object {
  const length = ['max_tokens', 'context_exceeded', 'incomplete'].includes(outcome.stop)
  return {
    done: true,
    done_reason: length ? 'length' : 'stop',
    total_duration: 5_000_000_000,
    load_duration: 1_000_000,
    ...(outcome.noUsage ? {} : { prompt_eval_count: outcome.usage.input }),
    prompt_eval_duration: 1_000_000_000,
    ...(outcome.noUsage ? {} : { eval_count: outcome.usage.output }),
    eval_duration: 2_000_000_000,
  }
}

function frames(call: StandInCall, outcome: Outcome): Frame[] {
  const base = { model: call.model, created_at: new Date().toISOString() }
  const add = (part: Frame['part'], content: string, more: object): Frame => ({
    text: `${JSON.stringify({ ...base, message: { role: 'assistant', content }, ...more })}\n`,
    part,
    chars: content.length,
  })
  return [
    ...pieces(outcome.texts.join('')).map((piece) => add('delta', piece, { done: false })),
    add('close', '', doneOf(outcome)),
  ]
}
