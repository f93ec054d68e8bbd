import * as json from '../../session/json.ts'

const agentName = /^agent-(.+?)\.jsonl(?:\.gz|\.zst)?$/

export function agentOfFile(name: string): string | undefined {
  return agentName.exec(name)?.[1]
}

export function isSidechain(records: readonly unknown[]): boolean | undefined {
  return records.map((record) => json.at(record, 'isSidechain')).find((value) => typeof value === 'boolean')
}

// Lines that `claude -p --output-format stream-json` prints: https://code.claude.com/docs/en/headless

const passing = new Map([
  ['result', 'sum of the usage'],
  ['stream_event', 'piece of a message'],
  ['rate_limit_event', 'session metadata'],
])

/** Whether a record is a line of that output, which names its session by another field than a log. */
export function isStreamLine(record: json.Fields): boolean {
  const { session_id, sessionId, subtype, type } = record
  if (json.text(session_id) === undefined || sessionId !== undefined) return false
  if (type === 'user' || type === 'assistant') return 'parent_tool_use_id' in record
  return passing.has(json.text(type) ?? '') || (type === 'system' && json.text(subtype) !== undefined)
}

export function recordOfStream(line: json.Fields) {
  const { claude_code_version: version, parent_tool_use_id: agentId, session_id: sessionId, ...given } = line
  const { subtype, type } = given
  const isBoundary = type === 'system' && subtype === 'compact_boundary'
  const faults = json.texts([subtype, ...json.list(line.errors), line.result])
  const record = {
    ...line,
    sessionId,
    ...(json.text(version) !== undefined && { version }),
    ...(json.text(agentId) !== undefined && { isSidechain: true, agentId }),
  }
  return {
    record: record as json.Fields,
    passed: type === 'system' && !isBoundary ? 'session metadata' : passing.get(json.text(type) ?? ''),
    fault: type === 'result' && line.is_error === true ? faults.join(': ') : undefined,
  }
}
