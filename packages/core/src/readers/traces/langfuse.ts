import { asCount, asText, asTime, at, fieldsOf, type JsonObject } from '../../session/json-values.ts'
import { messagesIn } from './any-message.ts'
import { type TracedSpan, traceReader } from './trace-reader.ts'

/**
 * Reads observations of Langfuse: a page of its API (`{data}`), a trace with its `observations`, an export of either as
 * a list or one a line. https://langfuse.com/docs/api-and-data-platform/features/export-from-ui
 */
export const langfuseReader = traceReader('langfuse', (value) => observationsIn(value))

const types = new Map<string, TracedSpan['is']>([
  ['GENERATION', 'model'],
  ['TOOL', 'tool'],
  ['AGENT', 'agent'],
  ...['SPAN', 'EVENT', 'CHAIN', 'RETRIEVER', 'EVALUATOR', 'EMBEDDING', 'GUARDRAIL'].map(
    (type) => [type, 'other'] as const,
  ),
])

function observationsIn(value: unknown, session?: string): TracedSpan[] {
  if (Array.isArray(value)) return value.flatMap((item) => observationsIn(item, session))
  const holder = camelCased(fieldsOf(value))
  const inner = holder.observations ?? holder.data
  if (Array.isArray(inner)) return observationsIn(inner, asText(holder.sessionId) ?? session)
  const is = types.get(asText(holder.type) ?? '')
  const id = asText(holder.id)
  if (is === undefined || id === undefined || !('traceId' in holder)) return []
  const { input, level, output, statusMessage } = holder
  return [
    {
      id,
      is,
      parent: asText(holder.parentObservationId),
      trace: asText(holder.traceId) ?? session ?? id,
      session: asText(holder.sessionId) ?? session,
      name: asText(holder.name),
      start: asTime(holder.startTime),
      end: asTime(holder.endTime),
      input: () => messagesIn(input, 'user'),
      output: () => messagesIn(output, 'assistant'),
      model: asText(holder.model) ?? asText(holder.providedModelName),
      usage: usageOf(fieldsOf(holder.usageDetails)),
      error: level === 'ERROR' ? (asText(statusMessage) ?? 'failed') : undefined,
      call: { id: at(holder.metadata, 'tool_call_id'), input, output },
    },
  ]
}

/** Exports to files have the names of the API in snake case. */
function camelCased(object: JsonObject): JsonObject {
  const entries = Object.entries(object)
  return Object.fromEntries(
    entries.map(([key, value]) => [key.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase()), value]),
  )
}

/** Langfuse counts each kind apart: `input` leaves out the cache, `output` the reasoning. */
function usageOf(details: JsonObject) {
  const sum = (name: RegExp): number | undefined => {
    const counts = Object.entries(details).flatMap(([key, count]) =>
      name.test(key) ? (asCount(count) ?? []) : [],
    )
    return counts.length === 0 ? undefined : counts.reduce((all, count) => all + count, 0)
  }
  return {
    inputTokens: sum(/input/),
    outputTokens: sum(/output/),
    cacheReadTokens: sum(/cached|cache_read/),
    cacheWriteTokens: sum(/cache_creation|cache_write/),
    reasoningTokens: sum(/reasoning/),
  }
}
