import type { AbortableOptions } from '../session/abortable-options.ts'
import { defaultReaders } from './default-readers.ts'
import type { LogInput, OpenLogOptions } from './open-log.ts'
import { isOpenLog, type OpenLog, openLog } from './open-log.ts'
import { recordsOf } from './read-session.ts'
import { pickReader } from './reader/detect.ts'
import type { SessionListing } from './reader/reader.ts'
import { createSessionWriter } from './reader/session-builder.ts'

/**
 * Lists the sessions of a log that may hold several, such as a database, oldest first. Each can be read by its path and
 * id, `PATH#ID`. Returns `undefined` if the format holds one session per log. Throws `LogReadError` as `readSession`
 * does.
 */
export async function listSessions(
  log: LogInput | OpenLog,
  options: OpenLogOptions & AbortableOptions = {},
): Promise<readonly SessionListing[] | undefined> {
  const { readers = defaultReaders, format, signal } = options
  const open = isOpenLog(log) ? log : await openLog(log, options)
  const reader = pickReader(open.head, readers, format)
  if (reader.sessions === undefined) return undefined
  const sink = createSessionWriter({ format: reader.name, files: open.files.map(({ name }) => name) })
  return await reader.sessions(recordsOf(open, reader, sink, [], () => signal?.throwIfAborted()))
}
