import * as json from '../../session/json.ts'

export const ui = 'ui_messages.json'
export const metadata = 'task_metadata.json'

export function documentKind(value: unknown) {
  const object = json.object(value)
  if (object !== undefined) {
    if (Array.isArray(object.messages) && json.text(object.sessionId) !== undefined) return 'sdk'
    if (json.text(object.session_id) !== undefined && json.text(object.messages_path) !== undefined)
      return 'description'
    return 'files_in_context' in object || 'model_usage' in object ? 'metadata' : undefined
  }
  const first = json.objects(json.list(value).slice(0, 20))
  if (first.some((item) => (item.type === 'say' || item.type === 'ask') && uiKind(item) !== undefined))
    return 'ui'
  return first.some(({ role }) => role === 'user' || role === 'assistant') ? 'history' : undefined
}

export function blocksOf(content: unknown): readonly unknown[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : json.list(content)
}

export function textOf(content: unknown): string {
  return json.texts(blocksOf(content).map((block) => json.text(block, 'text') ?? block)).join('\n\n')
}

export function uiKind({ ask, say, type }: json.Fields): string | undefined {
  return json.text(type === 'ask' ? ask : say) ?? json.text(say) ?? json.text(ask)
}
