import { cleanLine, eventIndex, mayComeNext } from '@tenfold/core/internal/summarizer'
import type { EventId, SummaryRequest } from '@tenfold/core/summarizer'
import { eventsOfFacts } from './facts-text.ts'
import { callsOf, isGivenTask, isUserItem } from './transcript.ts'

/** Who said what in a request. A model's claims about the user, and about commands, are checked against it. */
export interface Said {
  /** Whether the request shows the event, or its facts or its earlier summary cite it. */
  knows(event: EventId): boolean
  /** The words of the user that a text repeats, in the user's spelling. */
  quoteOf(text: string): { readonly text: string; readonly event: EventId } | undefined
  /** Whether a command may be in a next step, by core's rule. */
  proposed(command: string): boolean
  /**
   * Whether the events are words of the user, or questions that the user answered, and no name in the text was mentioned
   * only by tools.
   */
  byUser(text: string, events: readonly EventId[]): boolean
}

/** Indexes once what was said in a request. */
export function saidIn({ items, facts, earlier }: SummaryRequest): Said {
  const spans = items.map(({ event, until = event }) => [eventIndex(event), eventIndex(until)] as const)
  const events = new Set<string>([
    ...items.flatMap(({ results = [] }) => results),
    ...eventsOfFacts(facts),
    ...eventsIn(earlier),
  ])
  const words = items.some(isUserItem) ? items.filter(isUserItem) : items.filter(isGivenTask)
  const user = [
    ...words.map((item) => ({ event: item.event, text: cleanLine(item.text) })),
    ...facts.constraintCandidates.map(({ event, text }) => ({ event, text: cleanLine(text) })),
  ]
  const answers = facts.answers.map(({ question, answer, chosen, others, asked, event }) => ({
    events: [asked, event],
    text: cleanLine([question, answer, ...[...chosen, ...others].map(({ label }) => label)].join(' ')),
  }))
  // The id of a call also covers its result.
  const callOf = callsOf(items)
  const userEvents = new Set([
    ...user.flatMap(({ event }) => [event, callOf(event)]),
    ...answers.flatMap(({ events }) => events),
  ])
  const spoken = [
    ...user.map(({ text }) => text),
    ...answers.map(({ text }) => text),
    ...items.filter(({ type }) => type === 'assistant').map(({ text }) => cleanLine(text)),
  ]
  const spokenLower = spoken.map((text) => text.toLowerCase())
  return {
    knows(event) {
      const index = eventIndex(event)
      return events.has(event) || (index >= 0 && spans.some(([from, to]) => index >= from && index <= to))
    },
    quoteOf(text) {
      const wanted = unquoted(text)
      if (wanted.length < 3) return
      for (const { event, text: words } of user) {
        const at = indexOf(words, wanted)
        if (at >= 0) return { event, text: words.slice(at, at + wanted.length) }
      }
      return
    },
    proposed(command) {
      return mayComeNext(command, facts)
    },
    byUser(text, evidence) {
      const decided = earlier?.decisions.some(
        (decision) => decision.by === 'user' && decision.evidence.some((event) => evidence.includes(event)),
      )
      if (decided !== true && !evidence.some((event) => userEvents.has(event))) return false
      return namesIn(text.toLowerCase()).every((name) => spokenLower.some((words) => words.includes(name)))
    },
  }
}

function eventsIn(earlier: SummaryRequest['earlier']): string[] {
  const events: string[] = []
  const walk = (value: unknown): void => {
    if (typeof value === 'string') {
      if (eventIndex(value) >= 0) events.push(value)
    } else if (typeof value === 'object' && value !== null) Object.values(value).forEach(walk)
  }
  walk(earlier)
  return events
}

function unquoted(text: string): string {
  return cleanLine(text).replace(/^["'`«“„‘‚]+|["'`»”“’‘]+$/g, '')
}

/** Position of a text in another, ignoring case. */
function indexOf(text: string, wanted: string): number {
  const exact = text.indexOf(wanted)
  if (exact >= 0) return exact
  const lower = text.toLowerCase()
  // Some letters change length in lower case, which would shift positions.
  return lower.length === text.length ? lower.indexOf(wanted.toLowerCase()) : -1
}

/** Words that name something exact: a path, an address, a flag, a version, an identifier with a mark in it. */
function namesIn(text: string): string[] {
  return text
    .split(/[\s`"'“”‘’«»()<>[\]{},;|]+/)
    .map((word) => word.replace(/^[:!?]+|[.:!?…]+$/g, ''))
    .flatMap((word) => (/^\p{L}+\/\p{L}+$/u.test(word) ? partsOf(word) : hasMark.test(word) ? [word] : []))
}

const hasMark = /[/\\@_$]|^--?\w|\w\.\w\w/

/** `read/write` may be two ordinary words. */
function partsOf(word: string): string[] {
  return word.split('/').filter((part) => part.length > 3)
}
