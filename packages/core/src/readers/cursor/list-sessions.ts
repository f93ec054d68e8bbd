import { asText } from '../../session/json-values.ts'
import { known } from '../../session/known.ts'
import type { LogRecord, SessionListing } from '../reader/reader.ts'
import { asRow } from '../shared/log-row.ts'
import { chatListing, chatMeta } from './cli/chat-store.ts'
import { collectComposers, rootsOf } from './editor/composers.ts'

/** The sessions in the rows of a database, oldest first; none if the log is no database. */
export async function listCursorSessions(
  records: AsyncIterable<LogRecord>,
): Promise<readonly SessionListing[]> {
  const store = collectComposers()
  for await (const { value, file, line } of records) {
    const row = asRow(value)
    if (row?.table === 'meta') {
      const chat = chatListing(chatMeta(row) ?? {})
      if (chat !== undefined) return [chat]
    }
    // Messages come last.
    if (row?.table === 'blobs' || asText(row?.row.key)?.startsWith('bubbleId:') === true) break
    if (row !== undefined) store.add(row, { file, line })
  }
  return rootsOf([...store.composers().values()]).map(({ id, title, startedAt, endedAt, cwd, revision }) => ({
    id,
    ...known<Partial<SessionListing>>({ title, startedAt, endedAt, cwd, revision }),
  }))
}
