import type { Session, SessionEvent } from '@tenfold/core'
import type { Steps } from '@tenfold/core/internal'
import type { ToolCallEvent, ToolResultEvent } from '@tenfold/core/readers'
import { eventLines } from '../session-text.ts'
import { programsOf, shellTextOf } from './shell-programs.ts'

/**
 * Facts that a text about a session should contain. Terms are lower-cased. A group is one sentence, message or line.
 */
export interface ReferenceFacts {
  readonly editedFiles: readonly string[]
  /** Program and subcommand, such as `npm test`. */
  readonly lastCommands: readonly string[]
  readonly userTerms: readonly (readonly string[])[]
  readonly constraintTerms: readonly (readonly string[])[]
  readonly userIds: readonly string[]
  readonly errorTerms: readonly (readonly string[])[]
  /** Paths that were known before the end of the log and used after it. Empty if nothing follows the log. */
  readonly laterPaths: readonly string[]
  readonly laterSymbols: readonly string[]
}

const common = new Set(
  'the and for that this with you are not was have has had but can could should would will all any its from they them then than when what which who how why where there here been being were does did done into out about also just like one two get got let now new use used using make made need want please see look your our their his her yes okay some other more most very much many each only over under same such between after before first last next both own too'.split(
    ' ',
  ),
)
const demand =
  /\b(?:must|never|don'?t|do not|only|always|should(?:n'?t| not)|without|make sure|required?|avoid|cannot|no longer)\b/i
const failure =
  /error|fail|cannot|can't|not found|undefined|unexpected|panic|exception|denied|no such|invalid/i

/**
 * Derives the facts of a session without reference facts. Deliberately simple and without code of core, so that core
 * does not grade itself. Cannot tell what was used after the end of the log.
 */
export function* deriveFacts(session: Session): Steps<ReferenceFacts> {
  const events = session.events.filter((event) => !event.copied)
  const users = events.filter(
    (event) => event.type === 'user' && event.agent === 'main' && event.text.trim() !== '',
  )
  const texts = users.map((event) => (event.type === 'user' ? event.text : ''))
  const counts = yield* termCounts(events)
  const errors = events.filter((event) => event.type === 'tool_result' && event.status === 'error').slice(-8)
  return {
    editedFiles: [...new Set(callsOf(session).flatMap(({ call, result }) => editsOf(call, result)))],
    lastCommands: yield* lastCommands(session),
    userTerms: yield* termsIn(texts, counts, { most: 12, least: 1 }),
    constraintTerms: yield* termsIn(texts.flatMap(demandsIn), counts, { most: 8, least: 2 }),
    userIds: [...new Set(texts.flatMap(idsOf))],
    errorTerms: yield* termsIn(
      errors.map((event) => errorLine(event.type === 'tool_result' ? event.text : '')),
      counts,
      { most: 6, least: 2 },
    ),
    laterPaths: [],
    laterSymbols: [],
  }
}

/** Tool calls of a session in order, each with its result if it has one. */
export function callsOf(session: Session): { call: ToolCallEvent; result?: ToolResultEvent }[] {
  const open = new Map<string, { call: ToolCallEvent; result?: ToolResultEvent }>()
  const calls: { call: ToolCallEvent; result?: ToolResultEvent }[] = []
  for (const event of session.events) {
    if (event.copied) continue
    if (event.type === 'tool_call') {
      const entry = { call: event }
      open.set(event.callId, entry)
      calls.push(entry)
    }
    const entry = event.type === 'tool_result' ? open.get(event.callId) : undefined
    if (entry !== undefined && event.type === 'tool_result') entry.result = event
  }
  return calls
}

/** Paths that a successful call edited, from its reported changes, otherwise from its arguments. */
export function editsOf(call: ToolCallEvent, result: ToolResultEvent | undefined): string[] {
  if (result !== undefined && result.status !== 'ok') return []
  if (result?.changes !== undefined && result.changes.length > 0)
    return result.changes.map((change) => change.path)
  if (call.kind !== 'edit') return []
  if (typeof call.input === 'string')
    return [...call.input.matchAll(/^\*\*\* (?:Add|Update|Delete) File: (.{1,400})$/gm)].map(
      ([, path = '']) => path.trim(),
    )
  const input = Object(call.input)
  const path: unknown =
    Reflect.get(input, 'file_path') ??
    Reflect.get(input, 'notebook_path') ??
    Reflect.get(input, 'path') ??
    Reflect.get(input, 'filePath')
  return typeof path === 'string' && path !== '' ? [path] : []
}

function* lastCommands(session: Session): Steps<string[]> {
  const last = new Set<string>()
  for (const { call } of callsOf(session).reverse()) {
    yield
    const programs = call.kind === 'execute' ? programsOf(shellTextOf(call.input) ?? '') : []
    for (const program of programs.reverse()) last.add(program)
    if (last.size >= 6) break
  }
  return [...last].slice(0, 6)
}

function termsOf(text: string): string[] {
  const found = text.toLowerCase().match(/[\p{L}\p{N}_][\p{L}\p{N}_./:-]*/gu) ?? []
  return found
    .map((term) => term.replace(/[./:-]+$/, ''))
    .filter((term) => term.length >= 3 && term.length <= 80)
}

function* termCounts(events: readonly SessionEvent[]): Steps<Map<string, number>> {
  const counts = new Map<string, number>()
  for (const event of events) {
    yield
    for (const term of new Set(termsOf(eventLines(event)))) counts.set(term, (counts.get(term) ?? 0) + 1)
  }
  return counts
}

/** The sentences of a text that contain a demand. */
function demandsIn(text: string): string[] {
  return text.split(/(?<=[.!?])\s+|\n+/).filter((sentence) => demand.test(sentence) && sentence.length < 400)
}

/** The rare terms of each text, leaving out texts with too few. */
function* termsIn(
  texts: readonly string[],
  counts: ReadonlyMap<string, number>,
  { most, least }: { readonly most: number; readonly least: number },
): Steps<string[][]> {
  const groups: string[][] = []
  for (const text of texts) {
    yield
    const terms = rareTerms(text, counts, most)
    if (terms.length >= least) groups.push(terms)
  }
  return groups
}

/** Up to `most` terms of a text, those that the fewest events have first, then in the text's order. */
function rareTerms(text: string, counts: ReadonlyMap<string, number>, most: number): string[] {
  const terms = [...new Set(termsOf(text))].filter((term) => !common.has(term))
  return terms.sort((a, b) => (counts.get(a) ?? 0) - (counts.get(b) ?? 0)).slice(0, most)
}

function idsOf(text: string): string[] {
  const urls = text.match(/https?:\/\/[^\s<>"'`)\]]{4,300}/g) ?? []
  const rest = text.replaceAll(/https?:\/\/\S+/g, ' ')
  const numbers = rest.match(/(?<![\w.])\d{4,18}(?!\w)/g) ?? []
  const shas = rest.match(/(?<!\w)(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,40}(?!\w)/g) ?? []
  return [...urls.map((url) => url.replace(/[.,;:]+$/, '')), ...numbers, ...shas]
}

function errorLine(text: string): string {
  const lines = text.split('\n').filter((line) => /\w{3}/.test(line) && line.length < 1000)
  return lines.find((line) => failure.test(line)) ?? lines[0] ?? ''
}
