import { asList, asObject, asText, type JsonObject } from '../../session/json-values.ts'
import type { LogHead } from '../reader/reader.ts'

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
  const first = asList(value).slice(0, 20).map(asObject)
  if (first.some((item) => (item?.type === 'say' || item?.type === 'ask') && uiKind(item) !== undefined))
    return 'ui'
  return first.some((item) => item?.role === 'user' || item?.role === 'assistant') ? 'history' : undefined
}

export function detectCline({ document }: LogHead): number {
  const kind = documentKind(document)
  if (kind === 'ui') return asList(document).some((item) => typeof asObject(item)?.ts === 'number') ? 0.95 : 0
  if (kind === 'sdk') {
    const { version, system_prompt, agent, updated_at } = asObject(document) ?? {}
    const marks = [typeof version === 'number', asText(system_prompt), asText(agent), asText(updated_at)]
    return marks.filter((mark) => mark !== undefined && mark !== false).length >= 3 ? 0.95 : 0
  }
  return kind === 'history' ? scoreHistory(asList(document)) : 0
}

const ownKeys = /^(?:isSummary|condenseId|condenseParent|truncationId|truncationParent|isTruncationMarker)$/

/** Scores messages of the API by what Cline and Roo add to them. */
function scoreHistory(messages: readonly unknown[]): number {
  let score = 0
  for (const value of messages.slice(0, 20)) {
    const message = asObject(value)
    if (message?.role !== 'user' && message?.role !== 'assistant') continue
    if (message.role === 'user') {
      const text = textOf(message.content)
      if (text.includes('<environment_details>') && text.includes('</environment_details>')) return 0.95
      if (/^\s*<task>[\s\S]*<\/task>/.test(text) || /^\s*\[[a-z_]+[^\n]*\] Result:/.test(text)) score = 0.85
    }
    if (Object.keys(message).some((key) => ownKeys.test(key))) return 0.9
    const hasModel = asObject(message.modelInfo) !== undefined
    if (typeof message.ts === 'number') score = Math.max(score, hasModel ? 0.85 : 0.6)
  }
  return score
}

/** The blocks of a message's content. */
export function blocksOf(content: unknown): readonly unknown[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : asList(content)
}

/** All text of a message, its parts separated by a blank line. */
export function textOf(content: unknown): string {
  return blocksOf(content)
    .map((block) => asText(asObject(block)?.text) ?? (typeof block === 'string' ? block : ''))
    .filter((text) => text !== '')
    .join('\n\n')
}

/** The kind of an entry, for `say` and `ask` alike. */
export function uiKind(entry: JsonObject | undefined): string | undefined {
  return asText(entry?.type === 'ask' ? entry.ask : entry?.say) ?? asText(entry?.say) ?? asText(entry?.ask)
}
