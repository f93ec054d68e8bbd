import type { ContextEvent, SourcePosition } from '../../session/event.ts'
import { asList, asObject, asText, type JsonObject } from '../../session/json-values.ts'
import { contentParts, outputText } from '../shared/content.ts'
import { byKind } from '../shared/writer.ts'
import type { CursorState } from './rows.ts'

/** Reads a line `{role, message: {content}}`. */
export function readTranscriptLine(state: CursorState, record: JsonObject): void {
  const content = asObject(record.message)?.content
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : asList(content)
  const isUser = record.role === 'user'
  const words = blocks.filter(
    (block) => isUser && /^(?:text|image)$/.test(asText(asObject(block)?.type) ?? ''),
  )
  for (const value of blocks) {
    const block = asObject(value)
    if (!words.includes(value) && (block === undefined || !readBlock(state, block.type, block)))
      state.other(value, asText(block?.type) ?? 'block')
  }
  const { texts, images } = contentParts(words)
  if (words.length > 0) writeUserText(state, texts.join('\n'), images)
  state.out.absorb('empty message')
}

const readBlock = byKind<CursorState>({
  text(state, { text }) {
    if (typeof text !== 'string') return false
    // An answer that is only a bold line is the title of a thought.
    if (/^\s*\*\*[^*\n]{1,150}\*\*\s*$/.test(text)) state.think(text.trim())
    else state.say(text)
  },
  thinking: (state, { text, thinking }) => void state.think(asText(thinking) ?? asText(text) ?? ''),
  redacted_thinking: 'encrypted reasoning',
  tool_use(state, { id, input, name }) {
    if (asText(name) === undefined) return false
    state.call({ id, name: String(name), input })
  },
  tool_result(state, { content, is_error, tool_use_id: id }) {
    state.results = true
    state.result(state.take(id), { status: is_error === true ? 'error' : 'ok', ...outputText(content) }, id)
  },
})

interface Block {
  readonly kind: 'user' | 'assistant' | 'thinking' | 'call' | 'result'
  readonly name: string
  readonly lines: string[]
  readonly at: SourcePosition
}

/**
 * Begins to read the lines of a `.txt` transcript, blocks headed `user:` and `assistant:`, in which `[Thinking]`,
 * `[Tool call] name` and `[Tool result] name` begin further ones. `finish` writes the one that is still held.
 */
export function readTextTranscript(state: CursorState): {
  line(text: string, at: SourcePosition): void
  finish(): void
} {
  let block: Block | undefined

  function begin(kind: Block['kind'], at: SourcePosition, name = '', rest = ''): void {
    finish()
    block = { kind, name, lines: rest === '' ? [] : [rest], at }
  }

  function finish(): void {
    const { at } = state
    if (block !== undefined) writeBlock(state, block)
    block = undefined
    state.at = at
  }

  return {
    finish,
    line(text, at) {
      state.at = at
      const marked =
        block?.kind === 'user' ? null : /^\[(Thinking|Tool call|Tool result)\](?: (.*))?$/.exec(text)
      const [, mark, rest = ''] = marked ?? []
      if (text === 'user:' || text === 'assistant:') {
        begin(text === 'user:' ? 'user' : 'assistant', at)
        state.out.absorb('beginning of a message')
      } else if (mark === 'Thinking') begin('thinking', at, '', rest)
      else if (mark !== undefined) begin(mark === 'Tool call' ? 'call' : 'result', at, rest.trim())
      else if (block !== undefined) block.lines.push(text)
      else if (text.trim() !== '') state.other(text, 'text')
      state.out.absorb('line of a message')
    },
  }
}

function writeBlock(state: CursorState, { kind, name, lines, at }: Block): void {
  const text = lines.join('\n').trim()
  state.at = at
  if (kind === 'user') writeUserText(state, text, 0)
  else if (kind === 'call') state.call({ name, input: argumentsOf(lines) })
  else if (kind === 'thinking') state.think(text)
  else if (kind === 'assistant') state.say(text)
  else {
    state.results = true
    const call = state.take(undefined, name === '' ? undefined : name)
    state.result(call, { status: /^error\b/i.test(text) ? 'error' : 'ok', text })
  }
}

/** Arguments are `  key: value`; lines that do not begin with a key continue the value before them. */
function argumentsOf(lines: readonly string[]): Readonly<Record<string, string>> {
  const pairs: [key: string, value: string][] = []
  for (const line of lines) {
    const [, key, value = ''] = /^ {2}([A-Za-z_]\w{0,60}):(?: (.*))?$/.exec(line) ?? []
    const last = pairs.at(-1)
    if (key !== undefined) pairs.push([key, value])
    else if (last !== undefined) last[1] += `\n${line}`
    else if (line.trim() !== '') pairs.push(['text', line])
  }
  return Object.fromEntries(pairs.map(([key, value]) => [key, value.trimEnd()]))
}

interface Context {
  readonly origin: ContextEvent['origin']
  readonly name: string
  readonly text: string
}

const harness =
  /^(?:user_info|git_status|project_layout|rules|system_reminder|timestamp|agent_|mode|always_applied|user_rules)/

/** Writes a text under the user's name: the words in `<user_query>`, and what the editor put around them. */
export function writeUserText(state: CursorState, text: string, images: number): void {
  const { words, contexts } = splitUserText(text)
  state.ask(words, { images })
  // The user's words begin the turn that the rest belongs to.
  for (const { origin, name, text: body } of contexts) state.context(origin, name, body)
}

/** Without a query the text is the user's, except for the blocks at its beginning. */
function splitUserText(text: string): {
  readonly words: string
  readonly contexts: readonly Context[]
} {
  const queries: string[] = []
  let rest = ''
  let from = 0
  const open = '<user_query>'
  const close = '</user_query>'
  for (let start = text.indexOf(open); start !== -1; start = text.indexOf(open, from)) {
    const end = text.indexOf(close, start)
    rest += text.slice(from, start)
    queries.push(text.slice(start + open.length, end === -1 ? text.length : end).trim())
    from = end === -1 ? text.length : end + close.length
  }
  rest += text.slice(from)
  const { blocks, after } = leadingBlocks(rest)
  const words = queries.length > 0 ? queries.join('\n') : after
  const left = queries.length > 0 && after !== '' ? [contextOf('context', after)] : []
  return { words, contexts: [...blocks.map(([name, body]) => contextOf(name, body)), ...left] }
}

function contextOf(name: string, text: string): Context {
  return { origin: harness.test(name) ? 'harness' : 'attachment', name, text }
}

/** Elements at the beginning with names like Cursor's own: in lower case with `_` or `-`. */
function leadingBlocks(text: string): { blocks: [name: string, body: string][]; after: string } {
  const blocks: [string, string][] = []
  let rest = text.trim()
  for (;;) {
    const name = /^<([a-z]{2,40}(?:[_-][a-z]{1,40}){0,5})(?: [^>\n]{0,500})?>/.exec(rest)?.[1]
    const end = name === undefined ? -1 : rest.indexOf(`</${name}>`)
    if (name === undefined || end === -1 || !(name.includes('_') || name === 'rules' || name === 'timestamp'))
      break
    const stop = end + name.length + 3
    blocks.push([name, rest.slice(0, stop)])
    rest = rest.slice(stop).trim()
  }
  return { blocks, after: rest }
}
