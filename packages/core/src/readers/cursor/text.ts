import type { SourcePosition } from '../../session/event.ts'
import { type CursorState, write, writeCall, writeResult } from './state.ts'
import { writeUserText } from './user-text.ts'

type Block = {
  readonly kind: 'user' | 'assistant' | 'thinking' | 'call' | 'result'
  /** Name of the tool. */
  readonly name: string
  readonly lines: string[]
  readonly at: SourcePosition
}

/** Takes the lines of a `.txt` transcript; `finish` writes what is still held. */
export interface TextTranscript {
  line(text: string, at: SourcePosition): void
  finish(): void
}

/**
 * Reads blocks headed `user:` and `assistant:`, in which `[Thinking]`, `[Tool call] name` and `[Tool result] name`
 * begin further ones. Arguments are below a call as `  key: value`.
 */
export function readTextTranscript(state: CursorState): TextTranscript {
  let block: Block | undefined

  function begin(kind: Block['kind'], at: SourcePosition, name = '', rest = ''): void {
    finish()
    block = { kind, name, lines: rest === '' ? [] : [rest], at }
  }

  function finish(): void {
    if (block !== undefined) writeBlock(state, block)
    block = undefined
  }

  return {
    finish,
    line(text, at) {
      state.at = at
      const mark =
        block?.kind === 'user' ? undefined : /^\[(Thinking|Tool call|Tool result)\](?: (.*))?$/.exec(text)
      if (text === 'user:' || text === 'assistant:') {
        begin(text === 'user:' ? 'user' : 'assistant', at)
        state.out.absorb('beginning of a message')
      } else if (mark?.[1] === 'Thinking') begin('thinking', at, '', mark[2] ?? '')
      else if (mark !== undefined && mark !== null) {
        begin(mark[1] === 'Tool call' ? 'call' : 'result', at, (mark[2] ?? '').trim())
      } else if (block === undefined) {
        if (text.trim() !== '') write(state, { type: 'other', name: 'text', raw: text })
      } else block.lines.push(text)
      state.out.absorb('line of a message')
    },
  }
}

function writeBlock(state: CursorState, { kind, name, lines, at }: Block): void {
  const text = lines.join('\n').trim()
  if (kind === 'user') writeUserText(state, text, 0, at)
  else if (kind === 'call') writeCall(state, name, argumentsOf(lines), undefined, at)
  else if (kind === 'result') {
    writeResult(state, { text, failed: /^error\b/i.test(text) }, { name: name === '' ? undefined : name }, at)
  } else if (text !== '') write(state, { type: kind === 'thinking' ? 'reasoning' : 'assistant', text }, at)
}

/** Lines that do not begin with a key continue the value before them. */
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
