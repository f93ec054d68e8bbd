import { isUtf8 } from 'node:buffer'
import { type Redaction, type Redactor, secretRedactor } from '@tenfold/redact'
import { writeDump } from '../halt/dump-halt.ts'
import { dumpPaths } from '../halt/dump-keys.ts'
import type { DumpNote, FileManifest, ManifestFile } from '../halt/dump-schema.ts'
import { pathFault, sha256Of } from '../halt/files/found-file.ts'
import type { MakePart } from '../halt/files/make-file-parts.ts'
import { listDumps } from '../halt/stored-dumps.ts'
import { known } from '../session/known.ts'
import type { Note } from '../session/note.ts'
import type { Storage } from '../storage/storage.ts'
import { encodeJson } from '../storage/stored-json.ts'
import { type DumpFiles, type ForeignDump, readForeignDump, snapshotsFolder } from './foreign-dump.ts'

/** Options of {@link importDump}. */
export interface ImportDumpOptions {
  readonly storage: Storage
  /** When its metadata was last changed: the time of a dump that says none. */
  readonly changed: Date
  /** @default secretRedactor() */
  readonly redactors?: readonly Redactor[]
  /** Look whether it is there, and write nothing. @default false */
  readonly dryRun?: boolean
  readonly signal?: AbortSignal
}

/** A dump that was brought in, or that was there. */
export interface ImportedDump {
  readonly haltId?: string
  readonly known: boolean
  readonly taskId?: string
  readonly createdAt: string
  /** What our dump has no place for. */
  readonly notes: readonly Note[]
}

/**
 * Brings a halt dump of another tool into a storage, with its conversation line for line, unless it is there. Secrets
 * are replaced by marks. Its patch is kept to be read, since it does not say of which commit; a restore writes its
 * snapshots.
 */
export async function importDump(held: DumpFiles, options: ImportDumpOptions): Promise<ImportedDump> {
  const { storage, changed, redactors = [secretRedactor()], dryRun = false, signal } = options
  const dump = readForeignDump(held, changed)
  const about = {
    ...known({ taskId: dump.halt.taskId }),
    createdAt: dump.createdAt.toISOString(),
    notes: dump.notes,
  }
  const earlier = await find(storage, dump)
  if (earlier !== undefined) return { ...about, haltId: earlier, known: true }
  if (dryRun) return { ...about, known: false }
  const dumped = await writeDump(
    dump.halt,
    {
      storage,
      redactors,
      createdAt: dump.createdAt,
      notes: dump.notes,
      env: dump.environment,
      envNames: Object.keys(dump.environment),
      ...known({ signal }),
    },
    {
      sandboxRoot: dump.sandboxRoot,
      makeFiles: (redaction, make) => makeGivenFiles(dump, held, redaction, make),
    },
  )
  return { ...about, haltId: dumped.haltId, known: false }
}

/** The dump that was made of this one: of the same moment and task. */
async function find(storage: Storage, { halt, createdAt }: ForeignDump): Promise<string | undefined> {
  const { taskId } = halt
  const dumps = await listDumps(storage, known({ taskId }))
  return dumps.find(
    ({ state, metadata }) =>
      state !== 'damaged' && metadata?.createdAt === createdAt.toISOString() && metadata.taskId === taskId,
  )?.haltId
}

/** Makes patch, snapshots and the file manifest that names them, in our form. */
async function makeGivenFiles(
  { files, halt }: ForeignDump,
  held: DumpFiles,
  redaction: Redaction,
  make: MakePart,
): Promise<readonly DumpNote[]> {
  const listed = new Map(
    files.map(({ path, ...file }): [string, ManifestFile] => {
      const isDeleted = file.status === 'deleted'
      return [path, { path, ...file, ...(!isDeleted && { reason: 'it was not stored' }) }]
    }),
  )
  for (const [part, bytes] of held) {
    const isSnapshot = part.startsWith(snapshotsFolder)
    if ((!isSnapshot && part !== dumpPaths.patch) || pathFault(part) !== undefined) continue
    const before = redaction.hits
    await make(part, () => redactedBytes(bytes, redaction))
    if (!isSnapshot) continue
    const path = part.slice(snapshotsFolder.length)
    const redacted = redaction.hits - before
    const stored = { path, size: bytes.byteLength, mode: '100644' as const, sha256: sha256Of(bytes), part }
    const { status } = listed.get(path) ?? {}
    listed.set(path, { ...stored, ...known({ status }), ...(redacted > 0 && { redacted }) })
  }
  if (listed.size === 0 && !held.has(dumpPaths.patch)) return []
  const root = halt.agent?.cwd ?? '.'
  const manifest: FileManifest = { schemaVersion: 1, root, complete: true, files: [...listed.values()] }
  await make(dumpPaths.files, () => encodeJson(redaction.redactValue(manifest)))
  return []
}

/** The bytes without their secrets. Those that are no UTF-8 are read one by one, so that they can be written back. */
function redactedBytes(bytes: Uint8Array, redaction: Redaction): Uint8Array {
  const encoding = isUtf8(bytes) ? 'utf8' : 'latin1'
  const text = Buffer.from(bytes).toString(encoding)
  const clean = redaction.redact(text, { keepLines: true })
  return clean === text ? bytes : Buffer.from(clean, encoding)
}
