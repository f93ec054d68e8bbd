import * as json from '../../session/json.ts'

export function isHeader({ sessionId, projectHash }: json.Fields): boolean {
  return json.text(sessionId) !== undefined && json.text(projectHash) !== undefined
}

export function contentsOf(value: unknown): readonly unknown[] | undefined {
  const list = Array.isArray(value) ? value : json.fields(value).history
  if (!Array.isArray(list)) return undefined
  const contents = list.slice(0, 20).map((each) => json.fields(each))
  const isContent = ({ role, parts }: json.Fields): boolean =>
    (role === 'user' || role === 'model') && Array.isArray(parts)
  return contents.some(({ role }) => role === 'model') && contents.every(isContent) ? list : undefined
}
