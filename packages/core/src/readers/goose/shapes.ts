import * as json from '../../session/json.ts'

export function isGooseSession(record: json.Fields): boolean {
  const counted = 'message_count' in record || 'extension_data' in record || 'conversation' in record
  return json.text(record.working_dir) !== undefined && counted
}

export function isGooseMessage({ role, created, content }: json.Fields): boolean {
  return (role === 'user' || role === 'assistant') && typeof created === 'number' && Array.isArray(content)
}
