import type { CompactionEvent, ContextEvent, UserEvent } from '../../session/event.ts'

/** A part of the text under the user's name: the user's own words, text of a program, or a summary. */
export type UserPiece = WordsPiece | ProgramPiece | Pick<CompactionEvent, 'type' | 'text'>
export type WordsPiece = Pick<UserEvent, 'type' | 'origin' | 'text'>
export type ProgramPiece = Pick<ContextEvent, 'type' | 'origin' | 'text'> & { readonly name: string }

/** Text under the user's name: what programs put into it, and the user's own words. */
interface SplitPrompt {
  readonly blocks: readonly ProgramPiece[]
  readonly words: string
}

// An element that begins its line. The last word of its name tells what a program put there.
const opening =
  /^[ \t]*<((?:[a-z]{1,40}[-_]){0,5}(reminder|caveat|context|details|notification|stdout|stderr|output|results?))(?: [^<>\n]{0,1000})?>/gm

// Of more than one word, as an XML document may have an element `context` or `details`.
const severalWords = /^(?:context|details|notification|caveat|reminder)$/

/** Cuts what a program put into a prompt out of it: reminders, surroundings, output of tools. Linear in time. */
export function cutProgramBlocks(text: string): SplitPrompt {
  const blocks: ProgramPiece[] = []
  const unclosed = new Set<string>()
  let words = ''
  let from = 0
  opening.lastIndex = 0
  for (let match = opening.exec(text); match !== null; match = opening.exec(text)) {
    const [start, name = '', kind = ''] = match
    if (name === kind && severalWords.test(kind)) continue
    const close = `</${name}>`
    const inside = match.index + start.length
    const end = unclosed.has(name) ? -1 : text.indexOf(close, inside)
    if (end === -1) {
      unclosed.add(name)
      continue
    }
    const block = text.slice(inside, end).trim()
    if (block !== '') blocks.push({ type: 'context', origin: originOf(name, kind), name, text: block })
    words += text.slice(from, match.index)
    from = end + close.length
    opening.lastIndex = from
  }
  return { blocks, words: from === 0 ? text : (words + text.slice(from)).trim() }
}

function originOf(name: string, kind: string): ProgramPiece['origin'] {
  if (/^(?:std|output|result)/.test(kind)) return 'output'
  if (kind === 'notification') return 'notification'
  return name.startsWith('hook') ? 'hook' : 'harness'
}
