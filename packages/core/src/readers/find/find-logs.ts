import { createHash } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { errorCode, LogReadError } from '../../errors.ts'
import type { AbortableOptions } from '../../session/abortable-options.ts'
import { defaultReaders } from '../default-readers.ts'
import { walName } from '../log/log-file.ts'
import type { OpenLogOptions } from '../open-log.ts'
import type { Reader } from '../reader/reader.ts'
import type { CompanionFile, FoundFiles, FoundLog, SkippedFile, SkippedFolder } from './found-files.ts'
import { createOwners, lookAtFile, type Owners, type SeenLog } from './look-at-file.ts'
import {
  infoOf,
  isSystemError,
  systemMessage,
  type Walk,
  type WalkedFile,
  walkFolders,
} from './walk-folders.ts'

/** Options of {@link findLogs}. */
export interface FindLogsOptions extends AbortableOptions, Pick<OpenLogOptions, 'readers' | 'maxLogBytes'> {
  /** Folders to skip, such as the store. `.git` and `node_modules` are always skipped. */
  readonly except?: readonly string[] | undefined
  /** Maximum levels of folders to search; the given folder is the first. @default 100 */
  readonly depth?: number | undefined
  /** Inspects only files for which this returns true; others are neither opened nor reported. */
  readonly only?: ((path: string) => boolean) | undefined
  /** An earlier result with the same options, which is returned if no file was added, removed or changed since. */
  readonly before?: FoundFiles | undefined
  /** Called for each file before it is inspected, with the number of finished files and the total. */
  readonly onProgress?: ((path: string, done: number, total: number) => void) | undefined
}

interface Seen {
  readonly files: ReadonlyMap<string, WalkedFile>
  readonly logs: Map<string, SeenLog>
  readonly faults: Map<string, SkippedFile>
  readonly owners: Owners
}

const deepest = 100

/**
 * Inspects every file at or below `path`, whatever its name, and returns each as a log, as a companion of one, or as a
 * file that is not a log, with the reason. Content decides. Throws `LogReadError` if there is nothing at `path`, and
 * the signal's reason on abort.
 */
export async function findLogs(path: string, options: FindLogsOptions = {}): Promise<FoundFiles> {
  const { readers = defaultReaders, only, maxLogBytes, signal, onProgress } = options
  signal?.throwIfAborted()
  const walk = await walkFrom(path, options)
  const listing = listingOf(walk)
  if (options.before?.listing === listing) return options.before
  const wanted = walk.files.filter((file) => only === undefined || only(file.path))
  const seen: Seen = {
    files: new Map(wanted.map((file) => [resolve(file.path), file])),
    logs: new Map(),
    faults: new Map(),
    owners: createOwners(),
  }
  const skippedFolders = [...walk.skippedFolders]
  const claims = await claimedFiles(walk.folders, readers, seen, skippedFolders)
  // Logs that readers recognize by their folder come first, because files that are read with a log need not be opened.
  const order = [...new Set([...claims.keys(), ...seen.files.keys()])]
  for (const [done, key] of order.entries()) {
    const file = seen.files.get(key)
    if (file === undefined || seen.owners.readWith(key) !== undefined) continue
    signal?.throwIfAborted()
    onProgress?.(file.path, done, order.length)
    const claimedBy = claims.get(key)
    const looked = await lookAtFile(file, { readers, claimedBy, maxLogBytes, signal })
    if ('fault' in looked) seen.faults.set(key, { path: file.path, ...looked.fault })
    else {
      seen.logs.set(key, looked.log)
      seen.owners.add(key, looked.log)
    }
  }
  for (const [key, log] of seen.logs) seen.owners.addPackedCopy(key, log, seen.logs)
  return {
    logs: await foundLogs(seen),
    ...otherFiles(seen, walk.skippedFiles),
    skippedFolders: skippedFolders.sort(byPath),
    files: wanted.length + walk.skippedFiles.length,
    listing,
  }
}

function listingOf({ files, folders, ...skipped }: Walk): string {
  const lines = files.map(({ path, bytes, changed }) => `${bytes} ${changed} ${path}`)
  const text = JSON.stringify([lines.sort(), [...folders].sort(), skipped])
  return createHash('sha256').update(text).digest('hex')
}

async function walkFrom(path: string, { except = [], depth = deepest, signal }: FindLogsOptions) {
  try {
    await stat(path)
  } catch (cause) {
    const reason = errorCode(cause) === 'ENOENT' ? '; check the path.' : `: ${systemMessage(cause)}`
    throw new LogReadError('log-missing', `There is no log at ${path}${reason}`, { cause })
  }
  return await walkFolders(path, except, depth, signal)
}

async function claimedFiles(
  folders: readonly string[],
  readers: readonly Reader[],
  { files }: Seen,
  skippedFolders: SkippedFolder[],
): Promise<Map<string, Reader>> {
  const claims = new Map<string, Reader>()
  for (const folder of folders)
    for (const reader of readers)
      try {
        for (const path of (await reader.logsInFolder?.(folder)) ?? []) {
          const key = resolve(path)
          if (files.has(key) && !claims.has(key)) claims.set(key, reader)
        }
      } catch (error) {
        if (!isSystemError(error)) throw error
        const message = `format ${reader.name} cannot be searched in it: ${error.message}`
        skippedFolders.push({ path: folder, code: 'unreadable', message })
      }
  return claims
}

async function foundLogs({ files, logs, owners }: Seen): Promise<FoundLog[]> {
  const found: FoundLog[] = []
  for (const [key, { reader, damaged, sessions, sessionFiles, isDatabase }] of logs) {
    const file = files.get(key)
    if (file === undefined || owners.readWith(key) !== undefined || owners.copyOf(key) !== undefined) continue
    const { path } = file
    const paths = [...sessionFiles, ...(isDatabase ? [walName(path)] : [])]
    // A missing file is reported when the log is read.
    const infos = await Promise.all(paths.map((other) => infoOf(other, stat, [])))
    const bytes = infos.reduce((sum, info) => sum + (info?.size ?? 0), file.bytes)
    const changed = infos.reduce((newest, info) => Math.max(newest, info?.mtimeMs ?? 0), file.changed)
    const log = { path, format: reader.name, bytes, sessionFiles, ...(damaged && { damaged }) }
    if (sessions === undefined || sessions.length < 2) found.push({ log: path, ...log, changed })
    else
      for (const { id, endedAt } of sessions) {
        const ended = Date.parse(endedAt ?? '')
        found.push({ log: `${path}#${id}`, ...log, changed: Number.isNaN(ended) ? changed : ended })
      }
  }
  return found.sort((a, b) => a.changed - b.changed || byPath(a, b))
}

function otherFiles({ files, faults, owners }: Seen, walked: readonly SkippedFile[]) {
  const companions: CompanionFile[] = []
  const skipped = [...walked]
  const nameOf = (key: string): string => files.get(key)?.path ?? key
  for (const [key, { path }] of files) {
    const fault = faults.get(key)
    const main = owners.readWith(key)
    const copied = owners.copyOf(key)
    // A file that could not be inspected may be a log, whatever folder it is in.
    const isUnseen = fault === undefined || fault.code === 'unreadable' || fault.code === 'gone'
    const owner = isUnseen ? undefined : owners.belongsTo(key)
    if (main !== undefined) companions.push({ path, log: nameOf(main), kind: 'read' })
    else if (copied !== undefined) companions.push({ path, log: nameOf(copied), kind: 'packed-copy' })
    else if (owner !== undefined) companions.push({ path, log: nameOf(owner), kind: 'around' })
    else if (fault !== undefined) skipped.push(fault)
  }
  return { companions: companions.sort(byPath), skipped: skipped.sort(byPath) }
}

function byPath(a: { readonly path: string }, b: { readonly path: string }): number {
  return a.path < b.path ? -1 : a.path > b.path ? 1 : 0
}
