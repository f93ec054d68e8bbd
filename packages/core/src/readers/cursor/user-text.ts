import type { ContextEvent } from '../../session/event.ts'
import { type CursorState, write } from './state.ts'

type Context = { readonly origin: ContextEvent['origin']; readonly name: string; readonly text: string }

const harness =
  /^(?:user_info|git_status|project_layout|rules|system_reminder|timestamp|agent_|mode|always_applied|user_rules)/

/** Writes a text under the user's name: the words in `<user_query>`, and what the editor put around them. */
export function writeUserText(state: CursorState, text: string, images: number, at = state.at): void {
  const { words, contexts } = splitUserText(text)
  const pictures = images > 0 ? { images } : {}
  if (words === '' && images === 0) state.out.absorb('empty message')
  else if (state.agent === 'main')
    write(state, { type: 'user', origin: 'typed', text: words, ...pictures }, at)
  else write(state, { type: 'context', origin: 'agent', name: 'task', text: words, ...pictures }, at)
  // The user's words begin the turn that the rest belongs to.
  for (const context of contexts) write(state, { type: 'context', ...context }, at)
}

/** Without a query the text is the user's, except for the blocks at its beginning. */
export function splitUserText(text: string): {
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
