import type { CompactionEvent, ContextEvent, UserEvent } from '../../session/event.ts'

/** A part of the text under the user's name: the user's own words, text of a program, or a summary. */
export type UserPiece =
  | Pick<UserEvent, 'type' | 'origin' | 'text'>
  | ProgramPiece
  | Pick<CompactionEvent, 'type' | 'text'>
export type ProgramPiece = Pick<ContextEvent, 'type' | 'origin' | 'text'> & { readonly name: string }

/** The end of an element, by default `</name>`, and whether one without an end goes up to the end of the text. */
type SplitOptions = { readonly end?: string; readonly isOpen?: (inside: string) => boolean }

/** `opening` has the flag `g`, and the element's name as its first group. Linear time. */
export function splitElements(text: string, opening: RegExp, { end, isOpen }: SplitOptions = {}) {
  const elements: { before: string; name: string; start: string; inside: string }[] = []
  const unclosed = new Set<string>()
  let from = 0
  opening.lastIndex = 0
  for (let match = opening.exec(text); match !== null; match = opening.exec(text)) {
    const [start, name = ''] = match
    const inside = match.index + start.length
    const mark = end ?? `</${name}>`
    const found = unclosed.has(mark) ? -1 : text.indexOf(mark, inside)
    if (found === -1) unclosed.add(mark)
    if (found === -1 && isOpen?.(text.slice(inside)) !== true) continue
    const stop = found === -1 ? text.length : found
    elements.push({ before: text.slice(from, match.index), name, start, inside: text.slice(inside, stop) })
    from = Math.min(text.length, stop + mark.length)
    opening.lastIndex = from
  }
  return { elements, rest: text.slice(from) }
}

export function cutElements(text: string, opening: RegExp) {
  const { elements, rest } = splitElements(text, opening)
  return { elements, rest: elements.map(({ before }) => before).join('') + rest }
}

// Matches an element at the beginning of a line that a program inserted, by the last word of its name. Some last words
// count only in names of several words, since an XML document may have an element `context` or `details`.
const opening =
  /^[ \t]*<((?:[a-z]{1,40}[-_]){0,5}(?:stdout|stderr|output|results?)|(?:[a-z]{1,40}[-_]){1,5}(?:reminder|caveat|context|details|notification))(?: [^<>\n]{0,1000})?>/gm

/** Cuts inserted text of programs out of a prompt: reminders, descriptions of the environment, output of tools. */
export function cutProgramBlocks(text: string) {
  const { elements, rest } = cutElements(text, opening)
  const blocks = elements.flatMap(({ name, inside }): ProgramPiece[] => {
    const text = inside.trim()
    return text === '' ? [] : [{ type: 'context', origin: originOf(name), name, text }]
  })
  return { blocks, words: elements.length === 0 ? text : rest.trim() }
}

function originOf(name: string): ProgramPiece['origin'] {
  if (/(?:std(?:out|err)|output|results?)$/.test(name)) return 'output'
  if (name.endsWith('notification')) return 'notification'
  return name.startsWith('hook') ? 'hook' : 'harness'
}

/** Returns the contents of all `<tag …>…</tag>` and the text without them; a block without an end stays in the text. */
export function cutBlocks(text: string, tag: string) {
  if (!text.includes(`<${tag}`)) return { blocks: [], rest: text }
  const { elements, rest } = cutElements(text, new RegExp(`<(${tag})(?: [^<>]{0,1000})?>`, 'g'))
  return { blocks: elements.map(({ inside }) => inside), rest }
}

type SplitPrompt = { readonly brief: string; readonly words: string }

/** A brief begins within this many characters of the prompt that quotes it. */
const briefStart = 2000

const phrase = 'Record of '
const briefOpening =
  /^(?:(?:# Resume: .*\n)?Record of past work: data, no(?:t instructions|\s+instruction)\b.*|# Resume: .*\nRecord of .*; the user's latest words take precedence\..*)$/m

// The headings of a brief. Other headings below it are the user's own.
const heading =
  /^(?:### |## (?:Resume|How to resume|Next (?:steps|command)|No longer holds|Checked in|State|Constraints|Project rules|Decisions|Open (?:questions|errors|points|steps)|Blockers|Remaining|Findings|Steps|Approach|Summary|Validation|Current state|Tasks completed|Commits|Commands|Files|Last (?:answer|words|prompt|response|turns)|Other bundles|History|What happened|Note of|Extra of|Usage|Checkpoints|Halted run|Running when|Git state|End of stderr|Details of)\b)/
const prose = /^## (?:Resume\b(?! point)|How to resume|Summary|Approach|Current state|History|Note of)/
const isListed = /^(?:- |>)/

/** Cuts a pasted brief, `claude "$(tenfold resume)"`, out of the user's words. */
export function splitBrief(text: string): SplitPrompt | undefined {
  const start = text.slice(0, briefStart)
  if (!start.includes(phrase)) return undefined
  const found = briefOpening.exec(start)
  if (found === null) return undefined
  const lines = text.slice(found.index).split('\n')
  const end = endOfBrief(lines, found[0].split('\n').length)
  const words = [text.slice(0, found.index), lines.slice(end).join('\n')].map((part) => part.trim())
  return {
    brief: lines.slice(0, end).join('\n').trimEnd(),
    words: words.filter((part) => part !== '').join('\n\n'),
  }
}

/** Returns the index of the line after the last section; each section begins with a heading after a blank line. */
function endOfBrief(lines: readonly string[], first: number): number {
  let end = first
  while (true) {
    let at = end
    while (lines[at]?.trim() === '') at++
    const title = lines[at] ?? ''
    if (!heading.test(title)) return end
    let listed = false
    for (at++; at < lines.length; at++) {
      const line = lines[at] ?? ''
      const isList = isListed.test(line)
      if (line.trim() === '' || heading.test(line) || (listed && !isList)) break
      listed ||= isList && !prose.test(title)
    }
    end = at
  }
}
