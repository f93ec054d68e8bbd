import { literalScanner } from '@tenfold/redact/internal'
import { type SessionSummary, type SummaryItem, saysNothingOpen } from '../bundle/session-summary.ts'
import type { Memory } from '../carry/find-memory.ts'
import { mayComeNext } from '../facts/commands/next-command.ts'
import { classifySentence } from '../facts/constraints/binding/classify-sentence.ts'
import type { Refusal } from '../facts/constraints/binding/grammar.ts'
import type { Facts } from '../facts/facts.ts'
import { findIdentifiers } from '../facts/identifiers/find-identifiers.ts'
import { cleanLine } from '../session/clean-text.ts'
import { type EventId, eventIndex, type SessionEvent } from '../session/event.ts'
import { eventText } from '../session/event-text.ts'
import type { Note } from '../session/note.ts'
import { once } from '../session/once.ts'
import type { Steps } from '../session/pauses.ts'
import type { Session } from '../session/session.ts'
import { type Entry, listsOf, mapLists } from '../summarize/summary-lists.ts'
import { markToolWords, wordsOf } from './mark-tool-words.ts'

export interface GroundOptions {
  /** Leave out what cannot be found in the log instead of flagging it. @default false */
  readonly dropUnverified?: boolean | undefined
  /** What the session knew from earlier ones: valid items are carried over, and their words are not a tool's. */
  readonly memory?: Memory | undefined
}

export interface Grounded {
  readonly summary: SessionSummary
  /** Number of items that were flagged or dropped. */
  readonly unverified: number
  readonly notes: readonly Note[]
}

/**
 * Checks a summary against the log. Evidence must exist; paths, identifiers, quotes and commands must occur in the log,
 * and quotes of the user in user messages. Anything else is flagged `unverified`. Left out are constraints whose words
 * are not the user's, and next commands that no turn proposed and that are not a failing check: see `mayComeNext`.
 * Without a model, the resume instructions are composed of facts, and nobody's words.
 */
export function* groundSteps(
  summary: SessionSummary,
  session: Session,
  facts: Facts,
  options: GroundOptions = {},
  byModel = true,
): Steps<Grounded> {
  const lineOf = rememberedLines(session.events)
  const search = logSearch(session, facts, lineOf)
  const exists = (id: EventId) => eventIndex(id) >= 0 && eventIndex(id) < session.events.length
  let unverified = 0
  let commands = 0

  // "Nothing is open" is a state of the bundle, not a step.
  const steps = summary.nextSteps.filter((step) => !saysNothingOpen(step))
  const nextSteps = steps.map(({ command, ...step }) => {
    if (command === undefined || mayComeNext(command, facts))
      return command === undefined ? step : { ...step, command }
    commands++
    return step
  })
  const said = { ...summary, nextSteps }
  const claims = claimsIn(said)
  // Most claims are in the events that they cite, which are quick to search; the whole log is read only for the others.
  const beyond = claimsBeyond(claims, (id) => {
    const event = session.events[eventIndex(id)]
    return event === undefined ? '' : lineOf(event)
  })
  yield
  const found = yield* search.findAll(beyond)
  const isFound = (claim: string) => !beyond.has(claim) || found.has(claim)

  const ground = <T extends Entry>(items: readonly T[]): T[] =>
    items.flatMap((item) => {
      const evidence = item.evidence.filter(exists)
      const { unverified: before, ...statement } = item
      const doubtful =
        evidence.length < item.evidence.length ||
        (claims.get(item) ?? []).some((claim) => !isFound(claim)) ||
        userQuotes(item).some((quote) => search.userEvents(quote).length === 0) ||
        // The cited event did not exist then, and the citation is gone now.
        (before === true && evidence.length === 0)
      if (!doubtful) return [{ ...statement, evidence } as unknown as T]
      unverified++
      return options.dropUnverified ? [] : [{ ...item, evidence, unverified: true as const }]
    })

  const constraints = groundConstraints(summary.constraints, facts, search)
  unverified += constraints.refused
  const grounded = mapLists(said, (list, key) => (key === 'constraints' ? [...list] : ground(list)))
  yield
  const marked = yield* markToolWords(grounded, session, facts, options.memory?.parent, byModel)
  return {
    summary: { ...marked.summary, constraints: constraints.accepted },
    unverified,
    notes: [
      ...marked.notes,
      ...Array.from({ length: commands }, () => commandRefused),
      ...constraintNote('constraint-refused', constraints.refused),
      ...constraintNote('constraint-not-binding', constraints.unbinding),
    ],
  }
}

const commandRefused: Note = {
  code: 'command-refused',
  message: 'a next command was left out: nobody proposed it, or it was run since',
}

const leftOut = {
  'constraint-refused': 'their words are in no user message',
  'constraint-not-binding': 'questions, reports, quotes or rules that the user lifted later',
}

function constraintNote(code: keyof typeof leftOut, count: number): Note[] {
  return count === 0 ? [] : [{ code, message: `constraints were left out: ${leftOut[code]}`, count }]
}

/** Returns constraints in the user's words that the facts lack, with the messages that contain them. */
function groundConstraints(
  constraints: readonly SummaryItem[],
  facts: Facts,
  search: LogSearch,
): { accepted: SummaryItem[]; refused: number; unbinding: number } {
  const held = facts.constraints.map(({ text }) => cleanLine(text))
  const accepted: SummaryItem[] = []
  let refused = 0
  let unbinding = 0
  for (const { text, evidence } of constraints) {
    const words = cleanLine(text)
    if (held.some((other) => other.includes(words))) continue
    if (isRefused(words, facts)) {
      unbinding++
      continue
    }
    const events = search.userEvents(words)
    const cited = events.filter((event) => evidence.includes(event))
    if (events.length === 0) refused++
    else {
      held.push(words)
      accepted.push({ text: words, evidence: cited.length > 0 ? cited : events.slice(0, 1) })
    }
  }
  return { accepted, refused, unbinding }
}

/**
 * Whether words certainly do not bind: a question, a report, a quote, a revoked rule. Words that only sound like a
 * request may bind for reasons that a model sees.
 */
function isRefused(words: string, facts: Facts): boolean {
  const candidate = facts.constraintCandidates.find(({ text }) => cleanLine(text).includes(words))
  const why = candidate?.refused ?? refusalOf(words)
  return why !== undefined && why !== 'plain' && why !== 'musing'
}

function refusalOf(words: string): Refusal | undefined {
  const { binds, why } = classifySentence(words)
  return binds ? undefined : (why as Refusal)
}

/** Returns the claims of each statement; constraints have none. */
function claimsIn(summary: SessionSummary): Map<Entry, string[]> {
  const lists = listsOf(summary).filter(([key]) => key !== 'constraints')
  return new Map(lists.flatMap(([, list]) => list.map((item) => [item, claimsOf(item)] as const)))
}

/** Returns the claims that occur in none of the events cited by their statements. */
function claimsBeyond(
  claims: ReadonlyMap<Entry, readonly string[]>,
  lineOf: (id: EventId) => string,
): Set<string> {
  const all = [...claims].flatMap(([{ evidence }, texts]) => texts.map((text) => ({ text, evidence })))
  const isCited = ({ text, evidence }: (typeof all)[number]) =>
    evidence.some((id) => lineOf(id).includes(text))
  const cited = new Set(all.filter(isCited).map(({ text }) => text))
  return new Set(all.flatMap(({ text }) => (cited.has(text) ? [] : [text])))
}

/** Returns the searchable claims of a statement: its identifiers and its text in quotes or backticks. */
function claimsOf(item: Entry): string[] {
  const text = wordsOf(item)
  const quotes = [...text.matchAll(quoted)].map(([, code, quote]) => code ?? quote ?? '')
  return [...findIdentifiers(text).map((identifier) => identifier.text), ...quotes].flatMap(pieces)
}

function userQuotes(item: Entry): string[] {
  const text = wordsOf(item)
  const byUser = 'by' in item && item.by === 'user'
  return [...text.matchAll(quoted)]
    .filter(({ 2: quote, index }) => {
      const before = text.slice(Math.max(0, index - userReach), index)
      return quote !== undefined && (byUser || /\buser\b[^."]*$/i.test(before))
    })
    .flatMap(({ 2: quote = '' }) => pieces(quote))
}

const quoted = /`([^`]{2,200})`|"([^"]{3,200})"/g

/** Number of characters before a quote in which `user` is searched. */
const userReach = 40

/** Splits a claim at gap marks and ellipses: each piece must occur. */
function pieces(claim: string): string[] {
  return claim
    .split(/ ?\[…\d+(?: chars)?\] ?| ?(?:\.{3}|…) ?/)
    .map(cleanLine)
    .filter((piece) => piece !== '')
}

/** Searches a log, ignoring white space. */
interface LogSearch {
  /**
   * Returns the texts that occur in an event, or are identifiers of the facts. One pass over the log for any number of
   * texts.
   */
  findAll(texts: ReadonlySet<string>): Steps<ReadonlySet<string>>
  /** Returns the user messages that contain the words, in order, except revoked ones and those of a parent session. */
  userEvents(words: string): EventId[]
}

/** Minimum length of a text for the scanner. */
const shortest = 3

/** Text of an event on one line. */
type LineOf = (event: SessionEvent) => string

/** Maximum characters of cached lines: those of a log of 1 GB would take as much memory again. */
const maxRemembered = 32 * 1024 * 1024
/** The same for a larger log, of which a part would save little: room for the cited events, which come first. */
const maxCited = 4 * 1024 * 1024

/** Returns a {@link LineOf} that makes the line of each of these events once, as long as they take little memory. */
export function rememberedLines(events: readonly SessionEvent[]): LineOf {
  const lines = new Map<SessionEvent, string>()
  const size = events.reduce((sum, event) => sum + ('text' in event ? event.text.length : 0), 0)
  let room = size > maxRemembered ? maxCited : maxRemembered
  return (event) => {
    const known = lines.get(event)
    if (known !== undefined) return known
    const line = cleanLine(eventText(event))
    room -= line.length
    if (room > 0) lines.set(event, line)
    return line
  }
}

/** Creates a search that reads the log once, at the first query that needs it. */
function logSearch(session: Session, facts: Facts, lineOf: LineOf): LogSearch {
  const fromUser = once(() => {
    const live = session.events.filter((event) => event.copied !== true && event.inContext !== false)
    const typed = live.filter((event) => event.type === 'user')
    // In a subagent's log, the agent that gave the task takes the user's place.
    const given = live.filter(
      (event) => event.type === 'context' && event.origin === 'agent' && event.agent === 'main',
    )
    return (typed.length > 0 ? typed : given).map((event) => ({ id: event.id, line: lineOf(event) }))
  })
  return {
    *findAll(texts) {
      const found = new Set([...texts].filter((text) => text === '' || facts.identifiers.has(text)))
      const left = [...texts].filter((text) => !found.has(text))
      if (left.length === 0) return found
      const long = left.filter((text) => text.length >= shortest)
      const scanner = literalScanner<string>(long.reduce((least, text) => Math.min(least, text.length), 64))
      for (const text of long) scanner.add(text, text)
      for (const event of session.events) {
        if (scanner.size === 0 || found.size === texts.size) break
        yield
        // Rejecting each match makes the scanner continue with the others at the same position.
        scanner.matches(lineOf(event), ({ owner }) => {
          found.add(owner)
          return false
        })
      }
      for (const text of left)
        if (text.length < shortest && session.events.some((event) => lineOf(event).includes(text)))
          found.add(text)
      return found
    },
    userEvents(words) {
      const wanted = cleanLine(words)
      return fromUser()
        .filter(({ line }) => line.includes(wanted))
        .map(({ id }) => id)
    },
  }
}
