import { createRedaction, type Redactor, secretRedactor } from '@tenfold/redact'
import { StorageError } from '../errors.ts'
import type { OpenLog } from '../readers/open-log.ts'
import { readSession } from '../readers/read-session.ts'
import type { Reader } from '../readers/reader/reader.ts'
import { redactSession } from '../redact/redact-session.ts'
import type { AbortableOptions } from '../session/abortable-options.ts'
import { archivableLog } from '../store/archive/archivable-log.ts'
import type { BundleStore } from '../store/bundle-store.ts'
import { archiveKey, getKept } from '../store/keys.ts'
import type { DoneWork } from './ledger.ts'

export interface RestoreArchiveOptions extends AbortableOptions {
  readonly format?: string | undefined
  readonly readers?: readonly Reader[] | undefined
  readonly redactors?: readonly Redactor[] | undefined
}

/**
 * Archives the log of finished work if its bundle has an archive that the store lacks, as in a clone, since Git ignores
 * archives. `sha256` is the digest of the log, which is opened only if needed. Returns whether it was archived. Throws
 * {@link LogReadError} and {@link StorageError}.
 */
export async function restoreArchive(
  store: BundleStore,
  { id }: Pick<DoneWork, 'id'>,
  log: { readonly sha256: string; open(): Promise<OpenLog> },
  { format, readers, redactors = [secretRedactor()], signal }: RestoreArchiveOptions = {},
): Promise<boolean> {
  if ((await getKept(store.storage, archiveKey(log.sha256))) !== undefined) return false
  if (!(await wasArchived(store, id))) return false
  const open = await log.open()
  const redaction = createRedaction(redactors)
  const session = redactSession(await readSession(open, { format, readers, signal }), redaction)
  await store.archive(archivableLog(open, session, redaction), session.source, { signal })
  return true
}

async function wasArchived(store: BundleStore, id: string): Promise<boolean> {
  try {
    return (await store.load(id)).source.archived
  } catch (error) {
    // A missing or damaged bundle is reported by `verify`.
    if (error instanceof StorageError && !error.retryable) return false
    throw error
  }
}
