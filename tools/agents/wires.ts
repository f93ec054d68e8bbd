import { randomUUID } from 'node:crypto'
import type { ScriptedStep } from './stand-in.ts'

/** The APIs that agents speak: Anthropic Messages, OpenAI Responses and Chat Completions, Gemini. */
export type Wire = 'messages' | 'responses' | 'chat' | 'gemini'

interface WireEvent {
  readonly name?: string
  readonly data: object
}

export interface WireAnswer {
  readonly stream: boolean
  readonly json: object
  readonly events: readonly WireEvent[]
}

/** Tokens of each answer, as the log should have them: input with the cache, output with reasoning. */
export const usage = { input: 1000, cached: 400, written: 500, output: 50, reasoning: 10 }

export function wireOf(url: string): Wire | undefined {
  const path = url.split('?')[0] ?? ''
  if (path.endsWith('/messages')) return 'messages'
  if (path.endsWith('/responses')) return 'responses'
  if (path.endsWith('/chat/completions')) return 'chat'
  return /:(?:streamG|g)enerateContent$/.test(path) ? 'gemini' : undefined
}

export function answerOf(
  wire: Wire,
  { model, stream }: Record<string, unknown>,
  url: string,
  step: ScriptedStep,
): WireAnswer {
  const name = typeof model === 'string' ? model : 'standin-1'
  switch (wire) {
    case 'messages':
      return { stream: stream === true, ...messages(name, step) }
    case 'responses':
      return { stream: stream === true, ...responses(name, step) }
    case 'chat':
      return { stream: stream === true, ...chat(name, step) }
    case 'gemini':
      return { stream: url.includes(':stream'), ...gemini(step) }
  }
}

type Made = Omit<WireAnswer, 'stream'>

const newId = (prefix: string): string => `${prefix}${randomUUID().replaceAll('-', '').slice(0, 20)}`
const seconds = (): number => Math.floor(Date.now() / 1000)

// https://platform.claude.com/docs/en/build-with-claude/streaming
function messages(model: string, { text, call }: ScriptedStep): Made {
  const counts = {
    input_tokens: usage.input - usage.cached - usage.written,
    cache_read_input_tokens: usage.cached,
    cache_creation_input_tokens: usage.written,
    output_tokens: usage.output,
  }
  const tool = call && { type: 'tool_use', id: newId('toolu_'), name: call.tool, input: call.input }
  const reason = { stop_reason: call === undefined ? 'end_turn' : 'tool_use', stop_sequence: null }
  const base = { id: newId('msg_'), type: 'message', role: 'assistant', model, usage: counts }
  const json = {
    ...base,
    ...reason,
    content: [{ type: 'text', text }, ...(tool === undefined ? [] : [tool])],
  }
  const block = (index: number, start: object, delta: object): object[] => [
    { type: 'content_block_start', index, content_block: start },
    { type: 'content_block_delta', index, delta },
    { type: 'content_block_stop', index },
  ]
  const data = [
    { type: 'message_start', message: { ...base, content: [], stop_reason: null, stop_sequence: null } },
    ...block(0, { type: 'text', text: '' }, { type: 'text_delta', text }),
    ...(tool === undefined
      ? []
      : block(
          1,
          { ...tool, input: {} },
          { type: 'input_json_delta', partial_json: JSON.stringify(tool.input) },
        )),
    { type: 'message_delta', delta: reason, usage: { output_tokens: usage.output } },
    { type: 'message_stop' },
  ]
  return { json, events: data.map((each) => ({ name: String((each as { type: string }).type), data: each })) }
}

// https://platform.openai.com/docs/api-reference/responses-streaming
function responses(model: string, { text, call }: ScriptedStep): Made {
  const content = [{ type: 'output_text', text, annotations: [] }]
  const said = { id: newId('msg_'), type: 'message', status: 'completed', role: 'assistant', content }
  const asked = call && {
    ...{ id: newId('fc_'), type: 'function_call', status: 'completed', call_id: newId('call_') },
    ...{ name: call.tool, arguments: JSON.stringify(call.input) },
    ...(call.namespace !== undefined && { namespace: call.namespace }),
  }
  const output = asked === undefined ? [said] : [said, asked]
  const counts = {
    input_tokens: usage.input,
    input_tokens_details: { cached_tokens: usage.cached },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: usage.reasoning },
    total_tokens: usage.input + usage.output,
  }
  const json = {
    ...{ id: newId('resp_'), object: 'response', created_at: seconds(), status: 'completed', model },
    ...{ output, usage: counts, error: null, incomplete_details: null },
  }
  const events = [
    { type: 'response.created', response: { ...json, status: 'in_progress', output: [], usage: null } },
    ...output.flatMap((item, output_index) => [
      { type: 'response.output_item.added', output_index, item: { ...item, status: 'in_progress' } },
      { type: 'response.output_item.done', output_index, item },
    ]),
    { type: 'response.completed', response: json },
  ]
  return {
    json,
    events: events.map((data, sequence_number) => ({ name: data.type, data: { ...data, sequence_number } })),
  }
}

// https://platform.openai.com/docs/api-reference/chat-streaming
function chat(model: string, { text, call }: ScriptedStep): Made {
  const counts = {
    prompt_tokens: usage.input,
    prompt_tokens_details: { cached_tokens: usage.cached },
    completion_tokens: usage.output,
    completion_tokens_details: { reasoning_tokens: usage.reasoning },
    total_tokens: usage.input + usage.output,
  }
  const made = call && { name: call.tool, arguments: JSON.stringify(call.input) }
  const calls = made === undefined ? [] : [{ id: newId('call_'), type: 'function', function: made }]
  const finish = calls.length > 0 ? 'tool_calls' : 'stop'
  const base = { id: newId('chatcmpl-'), created: seconds(), model }
  const message = { role: 'assistant', content: text, ...(calls.length > 0 && { tool_calls: calls }) }
  const chunk = (delta: object, finish_reason: string | null = null): WireEvent => ({
    data: { ...base, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] },
  })
  return {
    json: {
      ...{ ...base, object: 'chat.completion', usage: counts },
      choices: [{ index: 0, message, finish_reason: finish }],
    },
    events: [
      chunk({ role: 'assistant', content: text }),
      ...calls.map((each, index) => chunk({ tool_calls: [{ index, ...each }] })),
      chunk({}, finish),
      { data: { ...base, object: 'chat.completion.chunk', choices: [], usage: counts } },
    ],
  }
}

// https://ai.google.dev/api/generate-content
function gemini({ text, call }: ScriptedStep): Made {
  const asked = call && { functionCall: { name: call.tool, args: call.input, id: newId('') } }
  const parts = asked === undefined ? [{ text }] : [{ text }, { ...asked, thoughtSignature: 'c2ln' }]
  const usageMetadata = {
    promptTokenCount: usage.input,
    cachedContentTokenCount: usage.cached,
    candidatesTokenCount: usage.output - usage.reasoning,
    thoughtsTokenCount: usage.reasoning,
    totalTokenCount: usage.input + usage.output,
  }
  const candidate = { content: { role: 'model', parts }, index: 0, finishReason: 'STOP' }
  const json = { candidates: [candidate], usageMetadata, modelVersion: 'standin-1', responseId: newId('') }
  return { json, events: [{ data: json }] }
}
