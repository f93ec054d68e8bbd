import type { BilledUsage } from '../bill.ts'
import type { StandInCall } from '../call.ts'
import { newId } from '../ids.ts'
import type { Outcome, Stop } from '../outcome.ts'
import { errorBody } from '../provider-error.ts'
import { type Frame, pieces, sseEvent } from '../reply.ts'
import type { Wire } from '../wire.ts'
import { readMessages } from './anthropic-request.ts'

/** `POST /v1/messages`. https://platform.claude.com/docs/en/api/messages */
export const anthropicMessages: Wire = {
  streamType: 'text/event-stream; charset=utf-8',
  read: readMessages,
  body: (call, outcome, tier) => ({
    ...messageOf(call),
    content: outcome.texts.map((text) => ({ type: 'text', text, citations: null })),
    ...endOf(outcome),
    usage: outcome.noUsage ? null : usageOf(outcome.usage, tier),
  }),
  frames,
  errorFrame: (error, requestId) => sseEvent(errorBody('anthropic', error, requestId), 'error'),
  ping: sseEvent({ type: 'ping' }, 'ping'),
}

const stops: Readonly<Record<Stop, string>> = {
  end: 'end_turn',
  max_tokens: 'max_tokens',
  refusal: 'refusal',
  context_exceeded: 'model_context_window_exceeded',
  content_filter: 'refusal',
  failed: 'end_turn',
  incomplete: 'max_tokens',
}

function messageOf(call: StandInCall): object {
  return {
    id: newId('msg_01'),
    type: 'message',
    role: 'assistant',
    model: call.model,
    content: [],
    container: null,
    diagnostics: null,
    stop_reason: null,
    stop_sequence: null,
    stop_details: null,
  }
}

function endOf(outcome: Outcome): object {
  const stop = stops[outcome.stop]
  return {
    stop_reason: stop,
    stop_sequence: null,
    stop_details:
      stop === 'refusal'
        ? { type: 'refusal', category: outcome.refusal?.category ?? 'general_harms', explanation: null }
        : null,
    container: null,
  }
}

/** `input_tokens` excludes the cache; `output_tokens` includes the thinking. */
function usageOf(usage: BilledUsage, tier: 'standard' | 'batch'): object {
  return {
    input_tokens: usage.input - usage.cacheRead - usage.cacheWrite,
    cache_creation_input_tokens: usage.cacheWrite,
    cache_read_input_tokens: usage.cacheRead,
    cache_creation: { ephemeral_5m_input_tokens: usage.cacheWrite, ephemeral_1h_input_tokens: 0 },
    output_tokens: usage.output,
    output_tokens_details: { thinking_tokens: usage.reasoning },
    server_tool_use: null,
    service_tier: tier,
    inference_geo: 'us',
    speed: 'standard',
  }
}

interface EventData {
  readonly type: string
  readonly [field: string]: unknown
}

function frames(call: StandInCall, outcome: Outcome): Frame[] {
  const event = (data: EventData, part: Frame['part'], chars = 0): Frame => ({
    text: sseEvent(data, data.type),
    part,
    chars,
  })
  const { inference_geo, speed, service_tier, cache_creation, ...final } = usageOf(
    outcome.usage,
    'standard',
  ) as Record<string, unknown>
  const begun = {
    ...final,
    inference_geo,
    speed,
    service_tier,
    cache_creation,
    output_tokens: 1,
    output_tokens_details: null,
  }
  const start = { ...messageOf(call), usage: outcome.noUsage ? null : begun }
  const blocks = outcome.texts.flatMap((text, index) => {
    const parts = pieces(text)
    // Once the answer has begun its blocks are a part of it: a cut falls between two pieces.
    const opens = index === 0 ? 'head' : 'delta'
    return [
      event(
        { type: 'content_block_start', index, content_block: { type: 'text', text: '', citations: null } },
        opens,
      ),
      ...(index === 0 ? [event({ type: 'ping' }, 'head')] : []),
      ...parts.map((piece) =>
        event(
          { type: 'content_block_delta', index, delta: { type: 'text_delta', text: piece } },
          'delta',
          piece.length,
        ),
      ),
      event({ type: 'content_block_stop', index }, index === outcome.texts.length - 1 ? 'end' : 'delta'),
    ]
  })
  const usage = outcome.noUsage ? null : final
  return [
    event({ type: 'message_start', message: start }, 'head'),
    ...blocks,
    event({ type: 'message_delta', delta: endOf(outcome), usage }, 'end'),
    event({ type: 'message_stop' }, 'close'),
  ]
}
