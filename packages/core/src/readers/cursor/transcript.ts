import { asList, asObject, asText, type JsonObject } from '../../session/json-values.ts'
import { type CursorState, write, writeCall, writeResult } from './state.ts'
import { writeUserText } from './user-text.ts'

/** Reads a line `{role, message: {content}}`. */
export function readTranscriptLine(state: CursorState, record: JsonObject): void {
  const { out } = state
  const content = asObject(record.message)?.content
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : asList(content)
  if (record.role === 'user') readUser(state, blocks)
  else for (const block of blocks) readBlock(state, block)
  out.absorb('empty message')
}

function readUser(state: CursorState, blocks: readonly unknown[]): void {
  const texts: string[] = []
  let images = 0
  for (const value of blocks) {
    const block = asObject(value)
    if (block?.type === 'text' && typeof block.text === 'string') texts.push(block.text)
    else if (block?.type === 'image') images++
    else readBlock(state, value)
  }
  if (texts.length > 0 || images > 0) writeUserText(state, texts.join('\n'), images)
}

function readBlock(state: CursorState, value: unknown): void {
  const block = asObject(value)
  const type = asText(block?.type)
  if (block !== undefined && type === 'text' && typeof block.text === 'string') writeSaid(state, block.text)
  else if (block !== undefined && type === 'thinking') {
    const text = asText(block.thinking) ?? asText(block.text)
    if (text === undefined) state.out.absorb('encrypted reasoning')
    else write(state, { type: 'reasoning', text })
  } else if (type === 'redacted_thinking') state.out.absorb('encrypted reasoning')
  else if (block !== undefined && type === 'tool_use' && asText(block.name) !== undefined) {
    writeCall(state, asText(block.name) ?? '', block.input ?? null, block.id)
  } else if (block !== undefined && type === 'tool_result') {
    const id = asText(block.tool_use_id)
    writeResult(state, { ...contentOf(block.content), failed: block.is_error === true }, { id })
  } else write(state, { type: 'other', name: type ?? 'block', raw: value })
}

function contentOf(content: unknown): { text: string; images: number } {
  if (typeof content === 'string') return { text: content, images: 0 }
  const blocks =
    Array.isArray(content) || content === undefined || content === null ? asList(content) : [content]
  const texts = blocks.map((value) => {
    const block = asObject(value)
    if (block?.type === 'image') return ''
    return typeof block?.text === 'string' ? block.text : JSON.stringify(value)
  })
  const images = blocks.filter((value) => asObject(value)?.type === 'image').length
  return { text: texts.filter((text) => text !== '').join('\n'), images }
}

/** An answer that is only a bold line is the title of a thought. */
function writeSaid(state: CursorState, text: string): void {
  if (text.trim() === '') state.out.absorb('empty text')
  else if (/^\s*\*\*[^*\n]{1,150}\*\*\s*$/.test(text)) write(state, { type: 'reasoning', text: text.trim() })
  else write(state, { type: 'assistant', text })
}
