import { readSession, secretRedactor } from '@tenfold/core'
import { redactLog } from '@tenfold/core/internal'
import { openLog } from '@tenfold/core/readers'
import { createRedaction } from '@tenfold/core/redact'
import { openStoreToWrite } from '../../store/open-store.ts'
import { quietTerminal } from './job-queue.ts'

// Apart from what briefs a session, which reads no log.

/** Keeps a log as it is now in the archive of the store, packed and redacted, as a bundle of it would. */
export async function snapshotLog(path: string, store: string) {
  const log = await openLog(path)
  const { source } = await readSession(log)
  const opened = await openStoreToWrite(store, quietTerminal('snapshot'))
  const clean = redactLog(log, createRedaction([secretRedactor()]))
  const { sha256, bytes, key } = await opened.archive(clean, source)
  return { sha256, bytes, key }
}
