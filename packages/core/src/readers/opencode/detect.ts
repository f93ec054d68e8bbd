import { asList, asObject, asText, type JsonObject } from '../../session/json-values.ts'
import type { LogHead } from '../reader/reader.ts'
import { hasColumn } from '../shared/framing.ts'

const lineKinds = /^(?:text|reasoning|tool_use|step_start|step_finish|error)$/

/** Classifies a value by its own fields; `undefined` if it is not OpenCode's. */
export function kindOf(value: unknown): 'export' | 'session' | 'message' | 'part' | 'line' | undefined {
  const record = asObject(value)
  if (record === undefined) return undefined
  const info = asObject(record.info)
  if (info !== undefined && (Array.isArray(record.messages) || Array.isArray(record.parts))) return 'export'
  if (isLine(record)) return 'line'
  if (isPart(record)) return 'part'
  if (isMessage(record)) return 'message'
  return isSession(record) ? 'session' : undefined
}

function isLine({ type, sessionID, part, error }: JsonObject): boolean {
  if (!hasStart(sessionID, 'ses_') || !lineKinds.test(asText(type) ?? '')) return false
  return type === 'error' ? error !== undefined : asObject(part) !== undefined
}

function isPart({ type, messageID, sessionID }: JsonObject): boolean {
  return asText(type) !== undefined && hasStart(messageID, 'msg_') && asText(sessionID) !== undefined
}

function isMessage({ role, id, sessionID }: JsonObject): boolean {
  return (role === 'user' || role === 'assistant') && hasStart(id, 'msg_') && asText(sessionID) !== undefined
}

function isSession({ id, projectID, directory, time }: JsonObject): boolean {
  const placed = asText(projectID) !== undefined || asText(directory) !== undefined
  return hasStart(id, 'ses_') && placed && asObject(time) !== undefined
}

function hasStart(value: unknown, start: string): boolean {
  return typeof value === 'string' && value.startsWith(start)
}

export function detectOpenCode({ document, records, tables }: LogHead): number {
  const has = (table: string, column: string): boolean => hasColumn(tables ?? {}, table, column)
  if (tables !== undefined)
    return has('session', 'directory') && has('message', 'data') && has('part', 'message_id') ? 1 : 0
  if (document !== undefined) return scoreOf(document)
  return Math.max(0, ...records.slice(0, 10).map(scoreOf))
}

function scoreOf(value: unknown): number {
  const kind = kindOf(value)
  if (kind === undefined) return 0
  if (kind !== 'export') return kind === 'line' || kind === 'session' ? 0.95 : 0.8
  const record = asObject(value)
  const info = asObject(record?.info)
  if (hasStart(info?.id, 'ses_') && Array.isArray(record?.messages)) return 1
  if (hasStart(info?.id, 'msg_') || hasStart(info?.sessionID, 'ses_')) return 0.9
  // Redaction may have removed the ids.
  const message = asObject(asList(record?.messages)[0])
  const shaped = asObject(message?.info) !== undefined && Array.isArray(message?.parts)
  return shaped && asText(info?.directory) !== undefined ? 0.9 : 0.3
}
