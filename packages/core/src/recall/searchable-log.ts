import type { ContextBundle } from '../bundle/schema.ts'
import { sessionTitle } from '../facts/session-title.ts'
import { known } from '../session/known.ts'
import type { Note } from '../session/note.ts'
import { atOnce, type Steps } from '../session/pauses.ts'
import type { Session } from '../session/session.ts'
import { entriesOfSession, type SearchEntry } from './search-entry.ts'
import { type WordIndex, wordIndex, wordsOf } from './words.ts'

/** The searched source: a log, or the bundle that replaces it. */
export interface SearchedLog {
  /** Id of the bundle, if there is one. */
  readonly bundle?: string
  /** The agent's own id of the session. */
  readonly sessionId: string
  /** Title that the agent shows, if any. */
  readonly title?: string
  /** `bundle` if the archived log was missing. */
  readonly from: 'log' | 'bundle'
  /** Number of events in the log, or of those that the bundle holds. */
  readonly events: number
}

/** A log that can be searched repeatedly. */
export interface SearchableLog {
  /** Identifies the log. */
  readonly log: SearchedLog
  /** The events of the log, in order. */
  readonly entries: readonly SearchEntry[]
  /** Notes about this search for the reader. */
  readonly notes: readonly Note[]
  /** Returns the word index, which the first call builds. */
  index(): Steps<WordIndex>
}

/** Makes a session searchable. `bundle` is the bundle made from it. */
export function searchableLog(
  session: Session,
  options: { readonly bundle?: ContextBundle; readonly notes?: readonly Note[] } = {},
): SearchableLog {
  return atOnce(searchSteps(session, options))
}

export function* searchSteps(
  session: Session,
  { bundle, notes = [] }: { readonly bundle?: ContextBundle; readonly notes?: readonly Note[] } = {},
): Steps<SearchableLog> {
  const entries = yield* entriesOfSession(session)
  const title = bundle?.source.title ?? sessionTitle(session)
  const sessionId = bundle?.source.sessionId ?? session.id
  const about = { ...known({ bundle: bundle?.id, title }), sessionId }
  return searchable({ ...about, from: 'log', events: entries.length }, entries, notes)
}

/** Makes events searchable. Words that are not given are collected at the first search. */
export function searchable(
  log: SearchedLog,
  entries: readonly SearchEntry[],
  notes: readonly Note[],
  words?: WordIndex,
): SearchableLog {
  let built = words
  return {
    log,
    entries,
    notes,
    *index() {
      built ??= wordIndex(yield* wordsOf(entries))
      if (built === undefined) throw new TypeError('words that cannot be read')
      return built
    },
  }
}
