import { isUtf8 } from 'node:buffer'
import { hash } from 'node:crypto'
import { type Redaction, type Redactor, secretRedactor } from '@tenfold/redact'
import { writeDump } from '../halt/dump-halt.ts'
import { dumpPaths } from '../halt/dump-keys.ts'
import type { DumpNote, FileManifest, ManifestFile } from '../halt/dump-schema.ts'
import { pathFault } from '../halt/files/found-file.ts'
import type { MakePart } from '../halt/files/make-file-parts.ts'
import type { Halt } from '../halt/halt.ts'
import { listDumps } from '../halt/stored-dumps.ts'
import { cleanLine } from '../session/clean-text.ts'
import * as json from '../session/json.ts'
import { known } from '../session/known.ts'
import type { Note } from '../session/note.ts'
import type { Storage } from '../storage/storage.ts'
import { encodeJson } from '../storage/stored-json.ts'
import { notesOfLeft, takenFields, timeOf } from './taken-fields.ts'

type DumpFiles = ReadonlyMap<string, Uint8Array>

/** A halt dump in a foreign format. `notes` list what our format has no place for, and what could not be read. */
type ForeignDump = ReturnType<typeof readForeignDump>

type ForeignFile = Pick<ManifestFile, 'path' | 'size'> & {
  readonly status: NonNullable<ManifestFile['status']>
}

/** Files of a foreign dump that are read here or kept unchanged. */
const { snapshots, ...paths } = dumpPaths

const snapshotsFolder = `${snapshots}/`

/** Reads a dump that keeps metadata, state, conversation, last execution and environment in separate files. */
function readForeignDump(held: DumpFiles, changed: Date) {
  const notes: DumpNote[] = []
  const parsed = (path: string): unknown => {
    const text = textOf(held.get(path))
    const value = text === undefined ? undefined : json.parse(text)
    if (text !== undefined && value === undefined)
      notes.push({ code: 'part-unreadable', message: `${path} is not JSON, so it is left out` })
    return value
  }
  const metadata = takenFields(parsed(paths.metadata))
  const execution = takenFields(parsed(paths.execution))
  const at = timeOf(metadata.take('haltTimestamp timestamp createdAt'))
  const state = parsed(paths.state)
  const details = metadata.take('haltDetails details')
  const {
    haltId,
    iteration,
    reason = 'unknown',
    sandboxRoot,
    ...about
  } = metadata.texts({
    haltId: 'haltId',
    reason: 'haltReason reason',
    taskId: 'taskId',
    iteration: 'iteration',
    projectId: 'projectId',
    stateKey: 'redisStateKey stateKey',
    sandboxRoot: 'sandboxRoot',
  })
  const { exitCode, durationMs, ...run } = execution.texts({
    mode: 'agentMode mode',
    cwd: 'workingDirectory cwd',
    prompt: 'prompt',
    response: 'response',
    stdout: 'stdout',
    stderr: 'stderr',
    exitCode: 'exitCode',
    durationMs: 'durationMs',
  })
  const toolCalls = parsed(paths.toolCalls)
  const halt: Halt = {
    reason,
    // The original id leads back to the dump in its old place.
    details: known({ haltId, details }),
    ...known({ ...about, iteration: numberOf(iteration) }),
    agent: known({
      ...run,
      cwd: run.cwd ?? (textOf(held.get(paths.workingDirectory))?.trim() || undefined),
      exitCode: numberOf(exitCode),
      durationMs: numberOf(durationMs),
      conversation: conversationOf(held.get(paths.conversation)),
      toolCalls: Array.isArray(toolCalls) ? toolCalls : undefined,
    }),
    ...(state !== undefined && { readState: async () => state }),
  }
  const environment = Object.entries(json.fields(parsed(paths.environment)))
  const files = filesOf(parsed(paths.files))
  const readable = new Set<string>(Object.values(paths))
  const others = [...held.keys()].filter((path) => !readable.has(path) && !path.startsWith(snapshotsFolder))
  notes.push(
    ...notesOfLeft([...metadata.left(), ...execution.left()]),
    ...others.map((path) => ({
      code: 'file-left-out',
      message: `${cleanLine(path)} is no part of a halt dump, so it is left out`,
    })),
  )
  return {
    halt,
    createdAt: new Date(at ?? changed),
    /** Original place of the sandbox. Nothing is read there, since it may have changed. */
    sandboxRoot,
    environment: Object.fromEntries(environment.map(([name, value]) => [name, String(value)])),
    files,
    notes,
  }
}

function textOf(bytes: Uint8Array | undefined): string | undefined {
  return bytes !== undefined && isUtf8(bytes) ? new TextDecoder().decode(bytes) : undefined
}

function numberOf(text = ''): number | undefined {
  return text.trim() === '' || Number.isNaN(Number(text)) ? undefined : Number(text)
}

/** Returns the lines as values, so that they keep all their fields; the bytes if a line is not JSON. */
function conversationOf(bytes: Uint8Array | undefined): readonly unknown[] | Uint8Array | undefined {
  const lines = textOf(bytes)
    ?.split('\n')
    .filter((line) => line.trim() !== '')
  const values = lines?.map(json.parse) ?? [undefined]
  return values.includes(undefined) ? bytes : values
}

const statuses = new Map<unknown, ForeignFile['status']>([
  ['created', 'added'],
  ['added', 'added'],
  ['deleted', 'deleted'],
])

/** Accepts a list of files with their status, or separate lists of modified and created files. */
function filesOf(value: unknown): ForeignFile[] {
  const { created_files, file_manifest, files: inside, modified_files } = json.fields(value)
  const listed = [value, file_manifest, inside].find(Array.isArray)
  const files = json.objects(listed).map(({ path, status, size }) => ({
    path: json.text(path) ?? '',
    status: statuses.get(status) ?? 'modified',
    ...known({ size: json.count(size) }),
  }))
  const seen = new Set(files.map(({ path }) => path).concat(''))
  const named = (list: unknown, status: ForeignFile['status']) =>
    json.texts(json.list(list)).flatMap((path) => (seen.has(path) ? [] : [{ path, status }]))
  return [
    ...files.filter(({ path }) => path !== ''),
    ...named(modified_files, 'modified'),
    ...named(created_files, 'added'),
  ]
}

interface ImportDumpOptions {
  readonly storage: Storage
  /** When the metadata was last changed: used as the time of a dump without one. */
  readonly changed: Date
  /** @default secretRedactor() */
  readonly redactors?: readonly Redactor[]
  /** Only look whether the dump is stored already, and write nothing. @default false */
  readonly dryRun?: boolean
  readonly signal?: AbortSignal
}

/** A dump that was imported, or that was there already. */
interface ImportedDump {
  readonly haltId?: string
  readonly known: boolean
  readonly taskId?: string
  readonly createdAt: string
  /** Content that our format has no place for. */
  readonly notes: readonly Note[]
}

/**
 * Imports a halt dump of another tool into a storage, with its conversation line for line, unless it was imported
 * before. Secrets are replaced by marks. The patch is kept only for reading, since it does not name its commit; a
 * restore writes the snapshots.
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

/** Finds the earlier import of this dump, by its time and task. */
async function find(storage: Storage, { halt, createdAt }: ForeignDump): Promise<string | undefined> {
  const { taskId } = halt
  const dumps = await listDumps(storage, known({ taskId }))
  return dumps.find(
    ({ state, metadata }) =>
      state !== 'damaged' && metadata?.createdAt === createdAt.toISOString() && metadata.taskId === taskId,
  )?.haltId
}

/** Makes the patch, the snapshots and the file manifest that names them, in our format. */
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
    const sha256 = hash('sha256', bytes)
    const stored = { path, size: bytes.byteLength, mode: '100644' as const, sha256, part }
    const { status } = listed.get(path) ?? {}
    listed.set(path, { ...stored, ...known({ status }), ...(redacted > 0 && { redacted }) })
  }
  if (listed.size === 0 && !held.has(dumpPaths.patch)) return []
  const root = halt.agent?.cwd ?? '.'
  const manifest: FileManifest = { schemaVersion: 1, root, complete: true, files: [...listed.values()] }
  await make(dumpPaths.files, () => encodeJson(redaction.redactValue(manifest)))
  return []
}

/** Returns the bytes without secrets. Bytes that are not UTF-8 are read as Latin-1, so that they can be written back. */
function redactedBytes(bytes: Uint8Array, redaction: Redaction): Uint8Array {
  const encoding = isUtf8(bytes) ? 'utf8' : 'latin1'
  const text = Buffer.from(bytes).toString(encoding)
  const clean = redaction.redact(text, { keepLines: true })
  return clean === text ? bytes : Buffer.from(clean, encoding)
}
