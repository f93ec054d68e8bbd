import { isUtf8 } from 'node:buffer'
import { type Redaction, type Redactor, secretRedactor } from '@tenfold/redact'
import { type MadePart, type MadeParts, writeDump } from '../halt/dump-halt.ts'
import { dumpPaths } from '../halt/dump-keys.ts'
import type { FileManifest, ManifestSnapshot } from '../halt/dump-schema.ts'
import { pathFault, sha256Of } from '../halt/files/found-file.ts'
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
 * are replaced by marks. Its patch and snapshots are kept too; since it does not say on which commit, restoring them
 * may fail.
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
    (redaction) => givenFiles(dump, held, redaction),
  )
  return { ...about, haltId: dumped.haltId, known: false }
}

/** The dump that was made of this one: of the same moment and task. */
async function find(storage: Storage, { halt, createdAt }: ForeignDump): Promise<string | undefined> {
  const { taskId } = halt
  const dumps = await listDumps(storage, known({ taskId }))
  return dumps.find(
    ({ state, metadata }) =>
      (state === 'complete' || state === 'partial') &&
      metadata?.createdAt === createdAt.toISOString() &&
      metadata.taskId === taskId,
  )?.haltId
}

/** Patch, snapshots and the file manifest that names them. */
function givenFiles(dump: ForeignDump, held: DumpFiles, redaction: Redaction): MadeParts {
  const { sandboxRoot, files } = dump
  const parts = new Map<string, MadePart>()
  const snapshots: ManifestSnapshot[] = []
  for (const [part, bytes] of held) {
    const isSnapshot = part.startsWith(snapshotsFolder)
    if ((!isSnapshot && part !== dumpPaths.patch) || pathFault(part) !== undefined) continue
    const clean = redactedBytes(bytes, redaction)
    parts.set(part, clean)
    if (isSnapshot)
      snapshots.push({
        path: part.slice(snapshotsFolder.length),
        size: bytes.byteLength,
        mode: '100644',
        sha256: sha256Of(bytes),
        part,
        ...(clean.redacted > 0 && { redacted: clean.redacted }),
      })
  }
  const patch = parts.get(dumpPaths.patch)
  if (files.length > 0 || parts.size > 0)
    parts.set(dumpPaths.files, { bytes: encodeJson(fileManifest(dump, snapshots)), redacted: 0 })
  return {
    parts,
    ...known({
      sandboxRoot: sandboxRoot && redaction.redact(sandboxRoot),
      patch: patch && { files: files.length, redacted: patch.redacted, redactedFiles: [] },
    }),
  }
}

/** The bytes without their secrets. Those that are no UTF-8 are read one by one, so that they can be written back. */
function redactedBytes(bytes: Uint8Array, redaction: Redaction): MadePart {
  const encoding = isUtf8(bytes) ? 'utf8' : 'latin1'
  const text = Buffer.from(bytes).toString(encoding)
  const before = redaction.hits
  const clean = redaction.redact(text, { keepLines: true })
  return clean === text
    ? { bytes, redacted: 0 }
    : { bytes: Buffer.from(clean, encoding), redacted: redaction.hits - before }
}

/** Our form of the file manifest. The commit that the patch applies to is not known. */
function fileManifest({ files, halt }: ForeignDump, snapshots: readonly ManifestSnapshot[]): FileManifest {
  const digests = new Map(snapshots.map(({ path, sha256 }) => [path, sha256]))
  return {
    schemaVersion: 1,
    root: halt.agent?.cwd ?? '.',
    repository: true,
    complete: true,
    files: files.flatMap(({ path, status, size = 0 }) =>
      status === 'deleted'
        ? []
        : [{ path, size, mode: '100644' as const, status, ...known({ sha256: digests.get(path) }) }],
    ),
    deleted: files.filter(({ status }) => status === 'deleted').map(({ path }) => path),
    omitted: [],
    snapshots: [...snapshots],
  }
}
