import { literalScanner } from '../redact/literal-scanner.ts'
import { cleanLine } from '../session/clean-text.ts'
import type { SessionEvent } from '../session/event.ts'
import type { Session } from '../session/session.ts'
import { eventLine, type LineOf } from './log-search.ts'

/** Precedes a statement whose words only a tool printed. */
export const toolMark = 'Only tool output says:'

/** Consecutive words, or characters of a script without spaces, that identify a statement. */
const row = { words: 4, characters: 8 }

/** Minimum length of a row that shows whose words they are. */
const minLength = 12

/** Minimum share of a statement's rows found only in tool output that attributes it to tools. */
const minShare = 0.5

/**
 * Marks statements whose words, quotes aside, are in tool output and in nothing that the user or the agent wrote: a
 * file or page that was read may give orders, and must not pass as a plan of theirs. A statement of a few words can be
 * anybody's: it counts only in texts that are `steps`. Reads the log once.
 */
export function markToolWords(
  texts: readonly string[],
  { events }: Session,
  steps: ReadonlySet<string> = new Set(),
  lineOf: LineOf = eventLine,
): { readonly texts: string[]; readonly marked: number } {
  const statements = texts.map((text) => text.split(statementEnd))
  const short = new Set(texts.flatMap((text, at) => (steps.has(text) ? (statements[at] ?? []) : [])))
  const rows = new Map(statements.flat().map((each) => [each, rowsOf(each, short.has(each))]))
  const wanted = new Set([...[...rows.values()].flat(), ...[...short].flatMap(wholeOf)])
  const written = wordsIn(events, isAuthored, wanted, lineOf)
  // What is mostly the user's and the agent's words stays as it is, whatever tools printed: that is most of the log.
  const doubtful = new Set(
    [...rows.keys()].flatMap((statement) => {
      const own = rows.get(statement) ?? []
      const foreign = own.filter((text) => !written.has(text))
      const whole = short.has(statement) ? wholeOf(statement).filter((text) => !written.has(text)) : []
      return foreign.length < own.length * minShare ? whole : [...foreign, ...whole]
    }),
  )
  const printed = wordsIn(events, ({ type }) => type === 'tool_result', doubtful, lineOf)
  const isOfTools = (text: string) => printed.has(text) && !written.has(text)
  let marked = 0
  const mark = (statement: string): string => {
    if (statement.includes(toolMark)) return statement
    const own = rows.get(statement) ?? []
    const ofTools = own.filter(isOfTools).length
    const isCopied = short.has(statement) && wholeOf(statement).some(isOfTools)
    if (!isCopied && (ofTools === 0 || ofTools < own.length * minShare)) return statement
    marked++
    const [blank = ''] = /^\s*(?:[-*•]\s+|\d{1,3}[.)]\s+)?/.exec(statement) ?? []
    return `${blank}${toolMark} ${statement.slice(blank.length)}`
  }
  return { texts: statements.map((parts) => parts.map(mark).join('')), marked }
}

/** Those of the wanted words that one of these events holds. */
function wordsIn(
  events: readonly SessionEvent[],
  isOne: (event: SessionEvent) => boolean,
  wanted: ReadonlySet<string>,
  lineOf: LineOf,
): ReadonlySet<string> {
  const found = new Set<string>()
  const scanner = literalScanner<string>(
    [...wanted].reduce((least, text) => Math.min(least, text.length), 64),
  )
  for (const text of wanted) scanner.add(text, text)
  for (const event of events) {
    if (found.size === wanted.size) break
    if (!isOne(event)) continue
    // Rejecting each match makes the scanner continue with the others at the same position.
    scanner.matches(lineOf(event).toLowerCase(), ({ owner }) => {
      found.add(owner)
      return false
    })
  }
  return found
}

/** Events whose author is the user or the agent, including the arguments of calls. */
const authors: ReadonlySet<string> = new Set(['user', 'assistant', 'reasoning', 'tool_call'])

/** Whether the user or the agent wrote an event. A plan that was handed over for work is one of theirs. */
function isAuthored(event: SessionEvent): boolean {
  return authors.has(event.type) || (event.type === 'context' && event.name === 'plan')
}

/** After the end of a sentence or line. */
const statementEnd = /(?<=[.!?]\s)|(?<=[。！？\n])/u

function rowsOf(statement: string, isStep: boolean): string[] {
  if (statement.includes(toolMark)) return []
  // A quote is clearly not the agent's own order.
  const text = cleanLine(statement.replace(/`[^`]*`|"[^"]*"|“[^”]*”|「[^」]*」|«[^»]*»/gu, '\n'.repeat(2)))
  const lower = text.toLowerCase().replace(/[.。!！?？]+$/u, '')
  if (unspaced.test(lower)) {
    const characters = [...lower]
    return windows(characters, row.characters).map((part) => part.join(''))
  }
  const rows = windows(lower.split(' '), row.words)
    .map((part) => part.join(' '))
    .filter((part) => part.length >= minLength)
  return rows.length === 0 && isStep ? wholeOf(statement) : rows
}

/** A statement with its quotes, which may be code: only tool output has it if it was copied from there. */
function wholeOf(statement: string): string[] {
  const whole = cleanLine(statement)
    .toLowerCase()
    .replace(/[.!?]+$/, '')
  return whole.length >= minLength ? [whole] : []
}

const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]{4}/u

function windows(parts: readonly string[], size: number): string[][] {
  return Array.from({ length: Math.max(0, parts.length - size + 1) }, (_, at) => parts.slice(at, at + size))
}
