import * as json from '../../session/json.ts'

const lineKinds = /^(?:text|reasoning|tool_use|step_start|step_finish|error)$/

export function kindOf(value: unknown): 'export' | 'session' | 'message' | 'part' | 'line' | undefined {
  const { directory, id, info, messageID, messages, parts, projectID, role, sessionID, time, ...record } =
    json.fields(value)
  if (json.object(info) && (Array.isArray(messages) || Array.isArray(parts))) return 'export'
  const kind = json.text(record.type)
  const isLine = hasStart(sessionID, 'ses_') && lineKinds.test(kind ?? '')
  if (isLine && (kind === 'error' ? record.error !== undefined : json.object(record.part))) return 'line'
  const ofSession = json.text(sessionID) !== undefined
  if (kind !== undefined && hasStart(messageID, 'msg_') && ofSession) return 'part'
  if ((role === 'user' || role === 'assistant') && hasStart(id, 'msg_') && ofSession) return 'message'
  const isPlaced = json.text(projectID) !== undefined || json.text(directory) !== undefined
  return hasStart(id, 'ses_') && isPlaced && json.object(time) ? 'session' : undefined
}

export function hasStart(value: unknown, start: string): boolean {
  return typeof value === 'string' && value.startsWith(start)
}
