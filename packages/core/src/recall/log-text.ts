import type { ContextBundle } from '../bundle/schema.ts'
import { sessionTitle } from '../facts/session-title.ts'
import type { Session } from '../session/session.ts'
import type { Storage } from '../storage/storage.ts'
import { type Postings, postingsOf } from './postings.ts'
import { entriesOfSession, type SearchEntry } from './search-entry.ts'

/** The source of a bundle, and the storage that holds its archive. */
export interface ArchivedBundle {
  readonly storage: Storage
  readonly source: ContextBundle['source']
}

/** What a search needs of a log: plain data. */
export interface LogText {
  readonly title?: string
  readonly entries: readonly SearchEntry[]
  readonly postings: Postings
}

/** Collects what a search needs of a session. */
export function logTextOf(session: Session): LogText {
  const entries = entriesOfSession(session)
  const title = sessionTitle(session)
  const postings = postingsOf(entries.map(({ text }) => text))
  return { ...(title !== undefined && { title }), entries, postings }
}
