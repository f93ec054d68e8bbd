import { asText, type JsonObject } from '../../session/json-values.ts'

export function isGooseSession(record: JsonObject): boolean {
  const counted = 'message_count' in record || 'extension_data' in record || 'conversation' in record
  return asText(record.working_dir) !== undefined && counted
}

export function isGooseMessage({ role, created, content }: JsonObject): boolean {
  return (role === 'user' || role === 'assistant') && typeof created === 'number' && Array.isArray(content)
}
