import { isUtf8 } from 'node:buffer'
import { sha256Of } from '../halt/collect/file-digests.ts'
import { dumpHalt } from '../halt/dump-halt.ts'
import { type DumpPlace, dumpKey, dumpPaths } from '../halt/dump-keys.ts'
import type { DumpManifest, FileManifest, ManifestSnapshot } from '../halt/dump-schema.ts'
import { listDumps } from '../halt/list-dumps.ts'
import type { MadePart } from '../halt/parts/make-parts.ts'
import { writeParts } from '../halt/parts/part-writer.ts'
import { loadDump } from '../halt/read-dump.ts'
import { createRedaction, type Redaction } from '../redact/redaction.ts'
import type { Redactor } from '../redact/redactor.ts'
import { secretRedactor } from '../redact/secret-redactor.ts'
import { known } from '../session/known.ts'
import type { Storage } from '../storage/storage.ts'
import { storageKeyFault } from '../storage/storage-key.ts'
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
  readonly notes: readonly string[]
}

const place: DumpPlace = {}

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
    notes: dump.notes.map(({ message }) => message),
  }
  const earlier = await find(storage, dump, held)
  if (earlier !== undefined) return { ...about, haltId: earlier, known: true }
  if (dryRun) return { ...about, known: false }
  const dumped = await dumpHalt(dump.halt, {
    storage,
    redactors,
    createdAt: dump.createdAt,
    notes: dump.notes,
    env: dump.environment,
    envNames: Object.keys(dump.environment),
    ...known({ signal }),
  })
  if (dumped.state === 'disabled') return { ...about, known: false }
  await addFiles(storage, dumped.haltId, { dump, held, redactors })
  return { ...about, haltId: dumped.haltId, known: false }
}

/** The dump that was made of this one: of the same moment and task, with its files. */
async function find(storage: Storage, dump: ForeignDump, held: DumpFiles): Promise<string | undefined> {
  const { taskId } = dump.halt
  const isWhole = (paths: readonly string[]) => !hasFiles(dump, held) || paths.includes(dumpPaths.files)
  for (const { haltId, metadata } of await listDumps(storage, known({ taskId }))) {
    if (metadata?.createdAt !== dump.createdAt.toISOString() || metadata.taskId !== taskId) continue
    const { state, paths } = await loadDump(storage, haltId)
    if (state !== 'incomplete' && isWhole(paths)) return haltId
  }
  return undefined
}

function hasFiles({ files }: ForeignDump, held: DumpFiles): boolean {
  return (
    files.length > 0 ||
    held.has(dumpPaths.patch) ||
    [...held.keys()].some((path) => path.startsWith(snapshotsFolder))
  )
}

/** Adds patch, file manifest and snapshots, then the metadata and the manifest that name them and the sandbox. */
async function addFiles(
  storage: Storage,
  haltId: string,
  { dump, held, redactors }: { dump: ForeignDump; held: DumpFiles; redactors: readonly Redactor[] },
): Promise<void> {
  const { metadata, manifest } = await loadDump(storage, haltId)
  const { sandboxRoot } = dump
  const withFiles = hasFiles(dump, held)
  if (metadata === undefined || manifest === undefined || !(withFiles || sandboxRoot !== undefined)) return
  const redaction = createRedaction(redactors)
  for (const bytes of held.values()) redaction.learn(textOf(bytes))
  const { parts, snapshots } = fileParts(held, redaction)
  const files = encodeJson(fileManifest(dump, snapshots))
  const toAdd = withFiles ? [...parts, { path: dumpPaths.files, bytes: files, redacted: 0 }] : []
  const added = await writeParts(storage, { haltId, place }, toAdd, undefined)
  const now = new Set(added.parts.map(({ path }) => path))
  const missing = [...metadata.missing.filter(({ path }) => !now.has(path)), ...added.missing]
  const patch = added.parts.find(({ path }) => path === dumpPaths.patch)
  const whole = {
    ...metadata,
    ...known({ sandboxRoot: sandboxRoot && redaction.redact(sandboxRoot) }),
    missing,
    ...(patch !== undefined && {
      patch: { files: dump.files.length, redacted: patch.redacted ?? 0, redactedFiles: [] },
    }),
  }
  const own = await writeParts(
    storage,
    { haltId, place },
    [{ path: dumpPaths.metadata, bytes: encodeJson(whole), redacted: 0 }],
    undefined,
  )
  const others = manifest.parts.filter(({ path }) => path !== dumpPaths.metadata)
  const next: DumpManifest = {
    ...manifest,
    parts: [...others, ...added.parts, ...own.parts].sort((a, b) => (a.path < b.path ? -1 : 1)),
    missing,
  }
  await storage.put(dumpKey(place, haltId, dumpPaths.manifest), encodeJson(next))
}

function fileParts(
  held: DumpFiles,
  redaction: Redaction,
): { parts: MadePart[]; snapshots: ManifestSnapshot[] } {
  const parts: MadePart[] = []
  const snapshots: ManifestSnapshot[] = []
  for (const [path, bytes] of held) {
    const isSnapshot = path.startsWith(snapshotsFolder)
    if ((!isSnapshot && path !== dumpPaths.patch) || storageKeyFault(path) !== undefined) continue
    const part = { path, ...redacted(bytes, redaction) }
    parts.push(part)
    if (isSnapshot)
      snapshots.push({
        path: path.slice(snapshotsFolder.length),
        size: bytes.byteLength,
        mode: '100644',
        sha256: sha256Of(bytes),
        part: path,
        ...(part.redacted > 0 && { redacted: part.redacted }),
      })
  }
  return { parts, snapshots }
}

/** The bytes without their secrets. */
function redacted(bytes: Uint8Array, redaction: Redaction): Pick<MadePart, 'bytes' | 'redacted'> {
  const text = textOf(bytes)
  const before = redaction.hits
  const clean = redaction.redact(text, { keepLines: true, learned: true })
  if (clean === text) return { bytes, redacted: 0 }
  return { bytes: Buffer.from(clean, isUtf8(bytes) ? 'utf8' : 'latin1'), redacted: redaction.hits - before }
}

/** Bytes that are no UTF-8 are read one by one, so that they can be written back. */
function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString(isUtf8(bytes) ? 'utf8' : 'latin1')
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
    deleted: files.filter(({ status }) => status === 'deleted').map(({ path }) => ({ path })),
    omitted: [],
    submodules: [],
    snapshots: [...snapshots],
  }
}
