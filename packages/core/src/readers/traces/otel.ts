import * as json from '../../session/json.ts'
import { byWord } from '../../tools/by-word.ts'
import { timeOfMillis } from '../shared/values.ts'
import { messagesIn } from './any-message.ts'
import { type TracedSpan, traceReader } from './trace-reader.ts'

/**
 * Reads spans of OpenTelemetry with its conventions for generative AI, in OTLP's JSON (`resourceSpans`): a document, or
 * a line for each export. Model calls contain their messages if the program records them.
 * https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans
 */
export const otelReader = traceReader('otel-genai', spansIn)

const kinds = byWord<TracedSpan['is']>({
  model: 'chat generate_content text_completion',
  tool: 'execute_tool',
  agent: 'invoke_agent',
})

function spansIn(value: unknown): TracedSpan[] {
  if (Array.isArray(value)) return value.flatMap(spansIn)
  const { resourceSpans, scopeSpans, spans } = json.fields(value)
  const inner = [...json.list(resourceSpans), ...json.list(scopeSpans)]
  return [...inner.flatMap(spansIn), ...json.list(spans).flatMap((span) => readSpan(json.fields(span)))]
}

function readSpan(span: json.Fields): TracedSpan[] {
  const attributes = attributesOf(span.attributes)
  const of = (name: string): unknown => attributes.get(`gen_ai.${name}`)
  const is = kinds.get(json.text(of('operation.name')) ?? '') ?? 'other'
  const id = json.text(span.spanId)
  // Spans of other libraries, such as those of databases.
  if (id === undefined || ![...attributes.keys()].some((name) => name.startsWith('gen_ai.'))) return []
  const { code, message } = json.fields(span.status)
  const system = jsonOf(of('system_instructions'))
  // The input includes the cache.
  const usage = {
    inputTokens: of('usage.input_tokens'),
    outputTokens: of('usage.output_tokens'),
    cacheReadTokens: of('usage.cache_read.input_tokens'),
    cacheWriteTokens: of('usage.cache_creation.input_tokens'),
  }
  const input = jsonOf(of('tool.call.arguments'))
  const call = { id: of('tool.call.id'), input, output: of('tool.call.result') }
  const read = [system && { role: 'system', content: system }, of('input.messages')]
  return [
    {
      id,
      is,
      parent: json.text(span.parentSpanId),
      trace: json.text(span.traceId) ?? json.text(of('conversation.id')) ?? id,
      session: json.text(of('conversation.id')),
      name: json.text(is === 'tool' ? of('tool.name') : of('agent.name')) ?? json.text(span.name),
      start: timeOfNanos(span.startTimeUnixNano),
      end: timeOfNanos(span.endTimeUnixNano),
      input: () => messagesIn(read, 'user'),
      output: () => messagesIn(of('output.messages'), 'assistant'),
      model: json.text(of('response.model')) ?? json.text(of('request.model')),
      usage: is === 'model' ? usage : {},
      error: code === 2 || code === 'STATUS_CODE_ERROR' ? (json.text(message) ?? 'failed') : undefined,
      call,
    },
  ]
}

function jsonOf(value: unknown): unknown {
  return typeof value === 'string' ? (json.parse(value) ?? value) : value
}

/** Returns attributes by name: `[{key, value: {stringValue}}]`, or an object. */
function attributesOf(value: unknown): ReadonlyMap<string, unknown> {
  const listed = json.list(value).map((item): [string, unknown] => {
    const { key, value: held } = json.fields(item)
    return [json.text(key) ?? '', otlpValue(held)]
  })
  return new Map([...Object.entries(json.fields(value)), ...listed])
}

/** Returns a value of OTLP; whole numbers may be texts, since JSON has none of 64 bits. */
function otlpValue(value: unknown): unknown {
  const { arrayValue, boolValue, doubleValue, intValue, kvlistValue, stringValue } = json.fields(value)
  if (intValue !== undefined) return Number(intValue)
  if (kvlistValue !== undefined) return Object.fromEntries(attributesOf(json.at(kvlistValue, 'values')))
  const list = json.at(arrayValue, 'values')
  return Array.isArray(list) ? list.map(otlpValue) : (stringValue ?? boolValue ?? doubleValue)
}

function timeOfNanos(value: unknown): string | undefined {
  return timeOfMillis((json.number(value) ?? Number(json.text(value))) / 1e6)
}
