import { asList, asObject, asText, type JsonObject } from '../../session/json-values.ts'
import { type OpenHandsState, write } from './state.ts'

/** Text and images of a list of content parts, of one part or of plain text; parts of an unknown kind are `odd`. */
export function readContent(content: unknown): {
  readonly text: string
  readonly images: number
  readonly odd: readonly unknown[]
} {
  if (typeof content === 'string') return { text: content, images: 0, odd: [] }
  const texts: string[] = []
  const odd: unknown[] = []
  let images = 0
  for (const part of Array.isArray(content)
    ? content
    : content === null || content === undefined
      ? []
      : [content]) {
    const object = asObject(part)
    if (typeof part === 'string') texts.push(part)
    else if (typeof object?.text === 'string') texts.push(object.text)
    else if (object?.type === 'image' || object?.image_urls !== undefined)
      images += Math.max(1, asList(object?.image_urls).length)
    else if (asText(object?.type) !== 'cache_control') odd.push(part)
  }
  return { text: texts.join('\n'), images, odd }
}

/** Writes the reasoning of a message or an action from either of its places. */
export function writeReasoning(state: OpenHandsState, holder: JsonObject): void {
  const blocks = asList(holder.thinking_blocks).map((block) => asText(asObject(block)?.thinking))
  const fromBlocks = blocks.filter((text) => text !== undefined).join('\n')
  const text = asText(holder.reasoning_content) ?? fromBlocks
  if (text.trim() !== '') write(state, { type: 'reasoning', text })
}

/** Text without the thoughts at its beginning that `reasoning_content` repeats. */
export function withoutThought(text: string, holder: JsonObject): string {
  const match = /^\s*<think>([\s\S]*?)<\/think>\s*/.exec(text)
  const repeated = match !== null && match[1]?.trim() === asText(holder.reasoning_content)?.trim()
  return repeated ? text.slice(match[0].length) : text
}

/** The model as an optional field. */
export function modelOf(state: OpenHandsState): { model?: string } {
  const { model } = state
  return model === undefined ? {} : { model }
}
