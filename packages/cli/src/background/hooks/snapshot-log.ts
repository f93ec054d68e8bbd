import { readSession, secretRedactor } from '@tenfold/core'
import { redactLog } from '@tenfold/core/internal'
import { openLog } from '@tenfold/core/readers'
import { createRedaction } from '@tenfold/core/redact'
import { openStoreToWrite } from '../../store/open-store.ts'
import { quietTerminal } from './job-queue.ts'

// A file of its own, because the code that briefs a session must not load the readers of logs.

/** Archives a log as it is now in the store, compressed and redacted, as saving a bundle would. */
export async function snapshotLog(path: string, store: string) {
  const log = await openLog(path)
  const { source } = await readSession(log)
  const opened = await openStoreToWrite(store, quietTerminal('snapshot'))
  const clean = redactLog(log, createRedaction([secretRedactor()]))
  const { sha256, bytes, key } = await opened.archive(clean, source)
  return { sha256, bytes, key }
}
