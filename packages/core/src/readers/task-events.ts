import * as json from '../session/json.ts'
import { eventFromJson } from './reader/event-fields.ts'
import type { LogHead, LogRecord, Reader, SessionWriter } from './reader/reader.ts'
import { keyedLines } from './shared/values.ts'

/**
 * Reads the events of a task as lines of JSON, which an orchestrator writes from its `EventLog`, and which `tenfold
 * replay --json` prints: see `TaskEvent`.
 */
export const taskEventsReader: Reader = { name: 'task-events', marksFailedCommands: true, detect, read }

const types: ReadonlySet<unknown> = new Set(['user', 'assistant', 'tool_progress', 'tool_summary'])

function detect({ records }: LogHead): number {
  const own = records.filter((record) => isTaskEvent(json.object(record))).length
  return own > 0 && own > records.length / 2 ? 0.9 : 0
}

function isTaskEvent(record: json.Fields | undefined): record is json.Fields {
  const texts = [record?.id, record?.text, record?.agent]
  return types.has(record?.type) && texts.every((text) => typeof text === 'string')
}

async function read(records: AsyncIterable<LogRecord>, out: SessionWriter): Promise<void> {
  const seen = new Set<unknown>()
  const calls = new Set<unknown>()
  for await (const { value } of records) {
    const record = json.object(value)
    const draft = isTaskEvent(record) ? draftOf(record, calls) : undefined
    if (record !== undefined && seen.has(record.id)) out.absorb('repeated event')
    else if (draft === undefined)
      out.event({ type: 'other', name: json.text(record?.type) ?? 'unknown', raw: value })
    else {
      if (draft.type === 'tool_result' && !calls.has(draft.callId))
        out.note('result-without-call', 'a tool result answers no call of this log')
      if (draft.type === 'tool_call') calls.add(draft.callId)
      out.meta({ id: json.text(record?.session) })
      out.event(draft)
    }
    if (record !== undefined) seen.add(record.id)
  }
}

function draftOf(record: json.Fields, calls: ReadonlySet<unknown>) {
  const { text, agent, time, callId, name } = record
  switch (record.type) {
    case 'user':
      return eventFromJson({ ...record, origin: 'typed' })
    case 'tool_progress':
      // A call that continues reports what it printed so far.
      if (calls.has(callId))
        return eventFromJson({ type: 'context', origin: 'output', name, text, agent, time })
      return eventFromJson({ ...record, type: 'tool_call', input: inputOf(json.text(text) ?? '') })
    case 'tool_summary':
      return eventFromJson({ ...record, type: 'tool_result' })
    default:
      return eventFromJson(record)
  }
}

const keyed = /^([A-Za-z_]\w{0,60}): (.*)$/s

/** Parses a call's arguments: a JSON object, or `key: value` as printed by a replay, with values of several lines. */
function inputOf(text: string): unknown {
  const lines = text.split('\n')
  const parsed = text.startsWith('{') ? json.object(json.parse(text)) : undefined
  return parsed ?? (keyed.test(lines[0] ?? '') ? keyedLines(lines, keyed) : text)
}
