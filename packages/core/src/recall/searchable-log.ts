import type { ContextBundle } from '../bundle/schema.ts'
import { sessionTitle } from '../facts/session-title.ts'
import type { Note } from '../session/note.ts'
import type { Session } from '../session/session.ts'
import type { LogText } from './log-text.ts'
import type { Postings } from './postings.ts'
import { entriesOfBundle, entriesOfSession, type SearchEntry } from './search-entry.ts'
import { type WordIndex, wordIndex } from './word-index.ts'

/** The searched source: a log, or what its bundle still holds of it. */
export interface SearchedLog {
  /** Id of the bundle, if there is one. */
  readonly bundle?: string
  readonly sessionId: string
  readonly title?: string
  readonly from: 'log' | 'bundle'
  /** Events of the log; if `from` is `bundle`, those that the bundle holds. */
  readonly events: number
}

/** A log that can be searched repeatedly. */
export interface SearchableLog {
  readonly log: SearchedLog
  readonly entries: readonly SearchEntry[]
  /** Notes on this search for its reader. */
  readonly notes: readonly Note[]
  /** Returns the index of the words, which the first call builds. */
  index(): WordIndex
}

/** Makes a session searchable. Give `bundle` if it is the log of one. */
export function searchableLog(
  session: Session,
  { bundle, notes = [] }: { readonly bundle?: ContextBundle; readonly notes?: readonly Note[] } = {},
): SearchableLog {
  const { id } = session
  const title = bundle?.source.title ?? sessionTitle(session)
  const log: SearchedLog = {
    ...(bundle !== undefined && { bundle: bundle.id }),
    sessionId: bundle?.source.sessionId ?? id,
    ...(title !== undefined && { title }),
    from: 'log',
    events: session.events.length,
  }
  return searchable(log, entriesOfSession(session), notes)
}

/** Makes the text of the log of a bundle searchable. */
export function searchableText(
  { title, entries, postings }: LogText,
  bundle: ContextBundle,
  notes: readonly Note[],
): SearchableLog {
  const about = {
    bundle: bundle.id,
    sessionId: bundle.source.sessionId,
    ...(title !== undefined && { title }),
  }
  return searchable({ ...about, from: 'log', events: entries.length }, entries, notes, postings)
}

/** Makes searchable what a bundle itself holds, if its log is gone. */
export function searchableBundle(bundle: ContextBundle, notes: readonly Note[] = []): SearchableLog {
  const entries = entriesOfBundle(bundle)
  const { sessionId, title } = bundle.source
  const about = { bundle: bundle.id, sessionId, ...(title !== undefined && { title }) }
  return searchable({ ...about, from: 'bundle', events: entries.length }, entries, notes)
}

function searchable(
  log: SearchedLog,
  entries: readonly SearchEntry[],
  notes: readonly Note[],
  postings?: Postings,
): SearchableLog {
  let built: WordIndex | undefined
  return {
    log,
    entries,
    notes,
    index() {
      built ??= wordIndex(entries, postings)
      return built
    },
  }
}
