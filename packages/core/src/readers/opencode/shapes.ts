import { asObject, asText, fieldsOf } from '../../session/json-values.ts'

const lineKinds = /^(?:text|reasoning|tool_use|step_start|step_finish|error)$/

export function kindOf(value: unknown): 'export' | 'session' | 'message' | 'part' | 'line' | undefined {
  const {
    directory,
    error,
    id,
    info,
    messageID,
    messages,
    part,
    parts,
    projectID,
    role,
    sessionID,
    time,
    type,
  } = fieldsOf(value)
  if (asObject(info) && (Array.isArray(messages) || Array.isArray(parts))) return 'export'
  const kind = asText(type)
  const isLine = hasStart(sessionID, 'ses_') && lineKinds.test(kind ?? '')
  if (isLine && (kind === 'error' ? error !== undefined : asObject(part))) return 'line'
  const ofSession = asText(sessionID) !== undefined
  if (kind !== undefined && hasStart(messageID, 'msg_') && ofSession) return 'part'
  if ((role === 'user' || role === 'assistant') && hasStart(id, 'msg_') && ofSession) return 'message'
  const isPlaced = asText(projectID) !== undefined || asText(directory) !== undefined
  return hasStart(id, 'ses_') && isPlaced && asObject(time) ? 'session' : undefined
}

export function hasStart(value: unknown, start: string): boolean {
  return typeof value === 'string' && value.startsWith(start)
}
