import { asList, asText, type JsonObject, textsIn } from '../../session/json-values.ts'

// Lines that `claude -p --output-format stream-json` prints: https://code.claude.com/docs/en/headless

/** Kinds of line without words of their own. */
const passing = new Map([
  ['result', 'sum of the usage'],
  ['stream_event', 'piece of a message'],
  ['rate_limit_event', 'session metadata'],
])

const messages: ReadonlySet<string> = new Set(['user', 'assistant'])

/** Whether a record is a line of that output: it names its session in other words than a log does. */
export function isStreamLine(record: JsonObject): boolean {
  const type = asText(record.type) ?? ''
  if (asText(record.session_id) === undefined || record.sessionId !== undefined) return false
  if (messages.has(type)) return 'parent_tool_use_id' in record
  return passing.has(type) || (type === 'system' && asText(record.subtype) !== undefined)
}

/** The line as the record of a log. */
export function recordOfStream(record: JsonObject): JsonObject {
  const agent = asText(record.parent_tool_use_id)
  const version = asText(record.claude_code_version)
  return {
    ...record,
    sessionId: record.session_id,
    ...(version !== undefined && { version }),
    ...(agent !== undefined && { isSidechain: true, agentId: agent }),
  }
}

/** How a run failed, from its last line, which alone says so; undefined if it did not. */
export function faultOfRun(record: JsonObject): string | undefined {
  if (record.type !== 'result' || record.is_error !== true) return undefined
  const texts = textsIn([...asList(record.errors), record.result])
  return [asText(record.subtype), ...texts].filter((text) => text !== undefined).join(': ')
}

/** Why a line becomes no event; undefined if it does. */
export function passedLine(record: JsonObject): string | undefined {
  const type = asText(record.type) ?? ''
  if (type === 'system') return record.subtype === 'compact_boundary' ? undefined : 'session metadata'
  return passing.get(type)
}
