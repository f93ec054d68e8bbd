import type { CompactionEvent, ContextEvent, UserEvent } from '../../session/event.ts'

/** A part of the text under the user's name: the user's own words, text of a program, or a summary. */
export type UserPiece =
  | Pick<UserEvent, 'type' | 'origin' | 'text'>
  | ProgramPiece
  | Pick<CompactionEvent, 'type' | 'text'>
export type ProgramPiece = Pick<ContextEvent, 'type' | 'origin' | 'text'> & { readonly name: string }

/**
 * Cuts the elements out of a text that end and whose beginning `opening` matches, an expression with the flag `g` and the
 * name as its first group. Linear in time.
 */
export function cutElements(text: string, opening: RegExp) {
  const elements: { readonly name: string; readonly start: string; readonly inside: string }[] = []
  const unclosed = new Set<string>()
  let rest = ''
  let from = 0
  opening.lastIndex = 0
  for (let match = opening.exec(text); match !== null; match = opening.exec(text)) {
    const [start, name = ''] = match
    const inside = match.index + start.length
    const end = unclosed.has(name) ? -1 : text.indexOf(`</${name}>`, inside)
    if (end === -1) {
      unclosed.add(name)
      continue
    }
    elements.push({ name, start, inside: text.slice(inside, end).trim() })
    rest += text.slice(from, match.index)
    from = end + name.length + 3
    opening.lastIndex = from
  }
  return { elements, rest: rest + text.slice(from) }
}

// An element that begins its line. The last word of its name tells what a program put there. Some are of more than one
// word, as an XML document may have an element `context` or `details`.
const opening =
  /^[ \t]*<((?:[a-z]{1,40}[-_]){0,5}(?:stdout|stderr|output|results?)|(?:[a-z]{1,40}[-_]){1,5}(?:reminder|caveat|context|details|notification))(?: [^<>\n]{0,1000})?>/gm

/** Cuts what a program put into a prompt out of it: reminders, surroundings, output of tools. */
export function cutProgramBlocks(text: string) {
  const { elements, rest } = cutElements(text, opening)
  const blocks = elements.flatMap(({ name, inside }): ProgramPiece[] =>
    inside === '' ? [] : [{ type: 'context', origin: originOf(name), name, text: inside }],
  )
  return { blocks, words: elements.length === 0 ? text : rest.trim() }
}

function originOf(name: string): ProgramPiece['origin'] {
  if (/(?:std(?:out|err)|output|results?)$/.test(name)) return 'output'
  if (name.endsWith('notification')) return 'notification'
  return name.startsWith('hook') ? 'hook' : 'harness'
}

/** The contents of all `<tag …>…</tag>` and the text without them; a block without an end stays in the text. */
export function cutBlocks(text: string, tag: string) {
  const open = `<${tag}`
  const close = `</${tag}>`
  const blocks: string[] = []
  let rest = ''
  let from = 0
  for (let start = text.indexOf(open); start !== -1; start = text.indexOf(open, from)) {
    const after = text[start + open.length]
    const inside = after === '>' || after === ' ' ? text.indexOf('>', start) + 1 : 0
    const end = inside === 0 ? -1 : text.indexOf(close, inside)
    if (end === -1) break
    rest += text.slice(from, start)
    blocks.push(text.slice(inside, end))
    from = end + close.length
  }
  return { blocks, rest: rest + text.slice(from) }
}
