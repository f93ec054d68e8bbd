import { asText, type JsonObject } from '../../session/json-values.ts'

/** Metadata of a session: the first line of a legacy log, or an export. */
export function isGooseSession(record: JsonObject): boolean {
  const counted = 'message_count' in record || 'extension_data' in record || 'conversation' in record
  return asText(record.working_dir) !== undefined && counted
}

/** A message: `created` in seconds and a list of contents. */
export function isGooseMessage({ role, created, content }: JsonObject): boolean {
  return (role === 'user' || role === 'assistant') && typeof created === 'number' && Array.isArray(content)
}
