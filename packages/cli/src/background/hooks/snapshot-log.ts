import { createHash } from 'node:crypto'
import { LogReadError, readSession, type Session, secretRedactor } from '@tenfold/core'
import { redactLog } from '@tenfold/core/internal'
import { openLog } from '@tenfold/core/readers'
import { createRedaction } from '@tenfold/core/redact'
import { openStoreToWrite } from '../../store/open-store.ts'
import { quietTerminal } from './session-brief.ts'

type Source = Session['source']

/**
 * Keeps a log in its present state in the archive of the store, packed and redacted, as a bundle of it would. A log
 * that no reader recognises is kept as one file. Returns what of it is stored.
 */
export async function snapshotLog(
  path: string,
  store: string,
): Promise<{ readonly sha256: string; readonly bytes: number; readonly key: string }> {
  const log = await openLog(path)
  let source: Source
  try {
    source = (await readSession(log)).source
  } catch (error) {
    if (!(error instanceof LogReadError) || error.code === 'log-missing') throw error
    source = await unreadSource(log.files)
  }
  const opened = await openStoreToWrite(store, quietTerminal('snapshot'))
  const clean = redactLog(log, createRedaction([secretRedactor()]))
  const { sha256, bytes, key } = await opened.archive(clean, source)
  return { sha256, bytes, key }
}

/** The source of a log that no reader read: one file, since only a reader finds companion files. */
async function unreadSource(files: Parameters<typeof redactLog>[0]['files']): Promise<Source> {
  const [file] = files
  const hash = createHash('sha256')
  let bytes = 0
  for await (const block of file?.blocks() ?? []) {
    hash.update(block)
    bytes += block.byteLength
  }
  const sha256 = hash.digest('hex')
  const account = { lines: 0, events: 0, other: 0, notes: 0, blank: 0, absorbed: [] }
  return { files: [{ name: file?.name ?? '', bytes, lines: 0, sha256 }], bytes, sha256, images: 0, account }
}
