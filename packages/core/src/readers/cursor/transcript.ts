import type { SourcePosition } from '../../session/event.ts'
import * as json from '../../session/json.ts'
import { readModelBlocks } from '../anthropic-messages/blocks.ts'
import { cutBlocks } from '../shared/program-blocks.ts'
import { contentParts, keyedLines } from '../shared/values.ts'
import type { Writer } from '../shared/writer.ts'

export function readTranscriptLine(writer: Writer, record: json.Fields): void {
  const content = json.at(record.message, 'content')
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : json.list(content)
  const words: unknown[] = []
  for (const value of blocks) {
    const { text, type } = json.fields(value)
    if (record.role === 'user' && (type === 'text' || type === 'image')) words.push(value)
    // An answer that is only a bold line is the title of a thought.
    else if (type === 'text' && typeof text === 'string' && /^\s*\*\*[^*\n]{1,150}\*\*\s*$/.test(text))
      writer.think(text.trim())
    else readModelBlocks(writer, [value])
  }
  const { texts, images } = contentParts(words)
  if (words.length > 0) writeUserText(writer, texts.join('\n'), images)
  writer.out.absorb('empty message')
}

/** Reads a `.txt` transcript: `user:`, `assistant:`, `[Thinking]`, `[Tool call] name`, `[Tool result] name`. */
export function readTextTranscript(writer: Writer) {
  let block: { kind: string; name: string; lines: string[]; at: SourcePosition } | undefined

  function begin(kind: string, place: SourcePosition, name = '', rest = ''): void {
    finish()
    block = { kind, name, lines: rest === '' ? [] : [rest], at: place }
  }

  function finish(): void {
    if (block === undefined) return
    const { at: before } = writer
    const { kind, name, lines } = block
    const text = lines.join('\n').trim()
    writer.at = block.at
    if (kind === 'user:') writeUserText(writer, text)
    else if (kind === 'Tool call')
      writer.call({ name, input: keyedLines(lines.join('\n').trimEnd().split('\n'), argument) })
    else if (kind === 'Thinking') writer.think(text)
    else if (kind === 'assistant:') writer.say(text)
    else writer.result(writer.take(undefined, name || undefined), { failed: /^error\b/i.test(text), text })
    writer.at = before
    block = undefined
  }

  return {
    finish,
    line(text: string, place: SourcePosition): void {
      const [, mark, rest = ''] =
        (block?.kind !== 'user:' && /^\[(Thinking|Tool call|Tool result)\](?: (.*))?$/.exec(text)) || []
      if (text === 'user:' || text === 'assistant:') {
        begin(text, place)
        writer.out.absorb('beginning of a message')
      } else if (mark === 'Thinking') begin(mark, place, '', rest)
      else if (mark !== undefined) begin(mark, place, rest.trim())
      else if (block !== undefined) block.lines.push(text)
      else if (text.trim() !== '') writer.other(text, 'text')
      writer.out.absorb('line of a message')
    },
  }
}

const argument = /^ {2}([A-Za-z_]\w{0,60}):(?: (.*))?$/
const harness =
  /^(?:user_info|git_status|project_layout|rules|system_reminder|timestamp|agent_|mode|always_applied|user_rules)/

/** Writes the user's words, which are in `<user_query>`, or outside of elements with names like Cursor's own. */
export function writeUserText(writer: Writer, text: string, images = 0): void {
  const isOpen = text.lastIndexOf('<user_query>') > text.lastIndexOf('</user_query>')
  const { blocks: queries, rest } = cutBlocks(isOpen ? `${text}</user_query>` : text, 'user_query')
  const added: [name: string, text: string][] = []
  let after = rest.trim()
  for (;;) {
    const name = /^<([a-z]{2,40}(?:[_-][a-z]{1,40}){0,5})(?: [^>\n]{0,500})?>/.exec(after)?.[1] ?? ''
    const end = after.indexOf(`</${name}>`)
    if (end === -1 || !(name.includes('_') || name === 'rules' || name === 'timestamp')) break
    const stop = end + name.length + 3
    added.push([name, after.slice(0, stop)])
    after = after.slice(stop).trim()
  }
  // The user's words begin the turn that the rest belongs to.
  writer.ask(queries.length > 0 ? queries.map((query) => query.trim()).join('\n') : after, { images })
  if (queries.length > 0 && after !== '') added.push(['context', after])
  for (const [name, body] of added) writer.context(harness.test(name) ? 'harness' : 'attachment', name, body)
}
