import { literalScanner } from '../redact/literal-scanner.ts'
import { cleanLine } from '../session/clean-text.ts'
import { eventText } from '../session/event-text.ts'
import type { Session } from '../session/session.ts'

/** What stands before a statement whose words nobody said but a tool. */
export const toolMark = 'Only tool output says:'

/** Words in a row, or characters of a script without spaces, by which a statement is recognised. */
const row = { words: 4, characters: 8 }

/** Shortest row that says whose words they are. */
const minLength = 12

/** Share of the rows of a statement that only tools printed, from which on it counts as theirs. */
const minShare = 0.5

/**
 * Marks the statements of texts whose words, quotes aside, stand in the output of tools and in nothing that the user or the
 * agent wrote: a file or page that was read may give orders, and must not pass as a plan of theirs. Reads the log once.
 */
export function markToolWords(
  texts: readonly string[],
  { events }: Session,
): { readonly texts: string[]; readonly marked: number } {
  const statements = texts.map((text) => text.split(statementEnd))
  const rows = new Map(statements.flat().map((statement) => [statement, rowsOf(statement)]))
  const wanted = new Set([...rows.values()].flat())
  if (wanted.size === 0) return { texts: [...texts], marked: 0 }
  const scanner = literalScanner<string>(
    [...wanted].reduce((least, text) => Math.min(least, text.length), 64),
  )
  for (const text of wanted) scanner.add(text, text)
  const printed = new Set<string>()
  const written = new Set<string>()
  for (const event of events) {
    const into = event.type === 'tool_result' ? printed : authors.has(event.type) ? written : undefined
    if (into === undefined) continue
    // Refusing each match makes the scanner go on to the others at its place.
    scanner.matches(cleanLine(eventText(event)).toLowerCase(), ({ owner }) => {
      into.add(owner)
      return false
    })
  }
  let marked = 0
  const mark = (statement: string): string => {
    const own = rows.get(statement) ?? []
    const ofTools = own.filter((text) => printed.has(text) && !written.has(text)).length
    if (ofTools === 0 || ofTools < own.length * minShare) return statement
    marked++
    const [blank = ''] = /^\s*(?:[-*•]\s+|\d{1,3}[.)]\s+)?/.exec(statement) ?? []
    return `${blank}${toolMark} ${statement.slice(blank.length)}`
  }
  return { texts: statements.map((parts) => parts.map(mark).join('')), marked }
}

/** Who writes in a session, arguments of calls included. */
const authors: ReadonlySet<string> = new Set(['user', 'assistant', 'reasoning', 'tool_call'])

/** Behind the end of a sentence or line. */
const statementEnd = /(?<=[.!?]\s)|(?<=[。！？\n])/u

function rowsOf(statement: string): string[] {
  if (statement.includes(toolMark)) return []
  // What is quoted is plainly not the agent's own order.
  const text = cleanLine(statement.replace(/`[^`]*`|"[^"]*"|“[^”]*”|「[^」]*」|«[^»]*»/gu, '\n'.repeat(2)))
  const lower = text.toLowerCase().replace(/[.。!！?？]+$/u, '')
  if (unspaced.test(lower)) {
    const characters = [...lower]
    return windows(characters, row.characters).map((part) => part.join(''))
  }
  return windows(lower.split(' '), row.words)
    .map((part) => part.join(' '))
    .filter((part) => part.length >= minLength)
}

const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]{4}/u

function windows(parts: readonly string[], size: number): string[][] {
  return Array.from({ length: Math.max(0, parts.length - size + 1) }, (_, at) => parts.slice(at, at + size))
}
