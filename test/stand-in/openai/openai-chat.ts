import type { BilledUsage } from '../bill.ts'
import { jsonOf, type StandInCall } from '../call.ts'
import { newId } from '../ids.ts'
import { type Outcome, refusalText, type Stop } from '../outcome.ts'
import { errorBody } from '../provider-error.ts'
import { type Frame, pieces, sseEvent } from '../reply.ts'
import type { Wire } from '../wire.ts'
import { readChat } from './openai-request.ts'

/**
 * `POST /v1/chat/completions`, of OpenAI and of servers that speak like it.
 * https://platform.openai.com/docs/api-reference/chat
 */
export const openaiChat: Wire = {
  streamType: 'text/event-stream; charset=utf-8',
  read: readChat,
  body: (call, outcome) => ({
    ...completionOf(call),
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: outcome.texts.length > 0 ? outcome.texts.join('') : outcome.stop === 'refusal' ? null : '',
          refusal: outcome.stop === 'refusal' ? refusalText : null,
          annotations: [],
        },
        logprobs: null,
        finish_reason: stops[outcome.stop],
      },
    ],
    ...(outcome.noUsage ? {} : { usage: usageOf(outcome.usage) }),
  }),
  frames,
  errorFrame: (error) => sseEvent(errorBody('openai', error, null)),
  ping: ': keep-alive\n\n',
}

const stops: Readonly<Record<Stop, string>> = {
  end: 'stop',
  refusal: 'stop',
  max_tokens: 'length',
  context_exceeded: 'length',
  incomplete: 'length',
  content_filter: 'content_filter',
  failed: 'stop',
}

function completionOf(call: StandInCall): object {
  return {
    id: newId('chatcmpl-'),
    created: Math.floor(Date.now() / 1000),
    model: call.model,
    service_tier: 'default',
    system_fingerprint: 'fp_standin',
  }
}

/** `prompt_tokens` includes the cache; `completion_tokens` includes the reasoning. */
function usageOf(usage: BilledUsage): object {
  return {
    prompt_tokens: usage.input,
    completion_tokens: usage.output,
    total_tokens: usage.input + usage.output,
    prompt_tokens_details: {
      cached_tokens: usage.cacheRead,
      audio_tokens: 0,
      ...(usage.cacheWrite > 0 ? { cache_write_tokens: usage.cacheWrite } : {}),
    },
    completion_tokens_details: {
      reasoning_tokens: usage.reasoning,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  }
}

function frames(call: StandInCall, outcome: Outcome): Frame[] {
  const chunk = { ...completionOf(call), object: 'chat.completion.chunk' }
  const add = (part: Frame['part'], delta: object, finish: string | null = null, chars = 0): Frame => ({
    text: sseEvent({ ...chunk, choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }] }),
    part,
    chars,
  })
  const asked = jsonOf(call.body.stream_options).include_usage === true
  const refusal = outcome.stop === 'refusal' ? pieces(refusalText) : []
  return [
    add('head', { role: 'assistant', content: '', refusal: null }),
    ...pieces(outcome.texts.join('')).map((content) => add('delta', { content }, null, content.length)),
    ...refusal.map((piece) => add('delta', { refusal: piece }, null, piece.length)),
    add('close', {}, stops[outcome.stop]),
    ...(asked && !outcome.noUsage
      ? [{ text: sseEvent({ ...chunk, choices: [], usage: usageOf(outcome.usage) }), part: 'close' as const }]
      : []),
    { text: 'data: [DONE]\n\n', part: 'close' },
  ]
}
