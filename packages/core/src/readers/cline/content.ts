import { asList, asObject, asText, type JsonObject } from '../../session/json-values.ts'

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
