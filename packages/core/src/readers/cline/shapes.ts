import {
  asList,
  asObject,
  asText,
  type JsonObject,
  objectsIn,
  textAt,
  textsIn,
} from '../../session/json-values.ts'
export const ui = 'ui_messages.json'
export const metadata = 'task_metadata.json'

/** Classifies a document by its content; `undefined` if it is not Cline's. */
export function documentKind(
  value: unknown,
): 'ui' | 'history' | 'sdk' | 'metadata' | 'description' | undefined {
  const object = asObject(value)
  if (object !== undefined) {
    if (Array.isArray(object.messages) && asText(object.sessionId) !== undefined) return 'sdk'
    if (asText(object.session_id) !== undefined && asText(object.messages_path) !== undefined)
      return 'description'
    return 'files_in_context' in object || 'model_usage' in object ? 'metadata' : undefined
  }
  const first = objectsIn(asList(value).slice(0, 20))
  if (first.some((item) => (item.type === 'say' || item.type === 'ask') && uiKind(item) !== undefined))
    return 'ui'
  return first.some(({ role }) => role === 'user' || role === 'assistant') ? 'history' : undefined
}

export function blocksOf(content: unknown): readonly unknown[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : asList(content)
}

export function textOf(content: unknown): string {
  return textsIn(blocksOf(content).map((block) => textAt(block, 'text') ?? block)).join('\n\n')
}

export function uiKind({ ask, say, type }: JsonObject): string | undefined {
  return asText(type === 'ask' ? ask : say) ?? asText(say) ?? asText(ask)
}
