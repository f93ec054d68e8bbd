import * as json from '../../session/json.ts'
import { byWord } from '../../tools/by-word.ts'
import { countOf } from '../shared/usage.ts'
import { messagesIn } from './any-message.ts'
import { type TracedSpan, traceReader } from './trace-reader.ts'

/**
 * Reads observations of Langfuse: a page of its API (`{data}`), a trace with its `observations`, an export of either as
 * a list or one per line. Types and names are those of `ObservationSchema` in langfuse/langfuse (0ea65daf).
 * https://langfuse.com/docs/api-and-data-platform/features/export-from-ui
 */
export const langfuseReader = traceReader('langfuse', (value) => observationsIn(value))

const types = byWord<TracedSpan['is']>({
  model: 'GENERATION',
  tool: 'TOOL',
  agent: 'AGENT',
  other: 'SPAN EVENT CHAIN RETRIEVER EVALUATOR EMBEDDING GUARDRAIL',
})

function observationsIn(value: unknown, session?: string): TracedSpan[] {
  if (Array.isArray(value)) return value.flatMap((item) => observationsIn(item, session))
  const holder = camelCased(json.fields(value))
  const inner = holder.observations ?? holder.data
  if (Array.isArray(inner)) return observationsIn(inner, json.text(holder.sessionId) ?? session)
  const is = types.get(json.text(holder.type) ?? '')
  const id = json.text(holder.id)
  if (is === undefined || id === undefined || !('traceId' in holder)) return []
  const { input, level, output, statusMessage } = holder
  return [
    {
      id,
      is,
      parent: json.text(holder.parentObservationId),
      trace: json.text(holder.traceId) ?? session ?? id,
      session: json.text(holder.sessionId) ?? session,
      name: json.text(holder.name),
      start: json.time(holder.startTime),
      end: json.time(holder.endTime),
      input: () => messagesIn(input, 'user'),
      output: () => messagesIn(output, 'assistant'),
      model: json.text(holder.model) ?? json.text(holder.providedModelName),
      usage: usageOf(json.fields(holder.usageDetails)),
      error: level === 'ERROR' ? (json.text(statusMessage) ?? 'failed') : undefined,
      call: { id: json.at(holder.metadata, 'tool_call_id'), input, output },
    },
  ]
}

/** File exports have the names of the API in snake case. */
function camelCased(object: json.Fields): json.Fields {
  const camel = (name: string): string => name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase())
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [camel(key), value]))
}

/** Langfuse counts each kind separately: `input` excludes the cache, `output` the reasoning. */
function usageOf(details: json.Fields) {
  const sum = (name: RegExp): number | undefined => {
    const own = Object.keys(details).filter((key) => name.test(key))
    return countOf(...own.flatMap((key) => json.count(details[key]) ?? []))
  }
  return {
    inputTokens: sum(/input/),
    outputTokens: sum(/output/),
    cacheReadTokens: sum(/cached|cache_read/),
    cacheWriteTokens: sum(/cache_creation|cache_write/),
    reasoningTokens: sum(/reasoning/),
  }
}
