import { asText, fieldsOf, type JsonObject } from '../../session/json-values.ts'

export function isHeader({ sessionId, projectHash }: JsonObject): boolean {
  return asText(sessionId) !== undefined && asText(projectHash) !== undefined
}

/** Contents that `/chat save` writes: a list of Gemini API contents, bare or as `{history}`. */
export function contentsOf(value: unknown): readonly unknown[] | undefined {
  const list = Array.isArray(value) ? value : fieldsOf(value).history
  if (!Array.isArray(list)) return undefined
  const contents = list.slice(0, 20).map(fieldsOf)
  const isContent = ({ role, parts }: JsonObject): boolean =>
    (role === 'user' || role === 'model') && Array.isArray(parts)
  return contents.some(({ role }) => role === 'model') && contents.every(isContent) ? list : undefined
}
