import { realpath } from 'node:fs/promises'
import { relative, sep } from 'node:path'
import { errorCode, messageOf } from '../../errors.ts'
import { foldersInside } from '../../git/read-git.ts'
import type { AbortableOptions } from '../../session/abortable-options.ts'
import { inParallel } from '../../storage/in-parallel.ts'
import type { DumpNote, ManifestFile } from '../dump-schema.ts'
import { pathFields } from '../file-path.ts'
import type { DumpLimits } from '../halt.ts'
import { digestFile, readSmallFile } from './file-digests.ts'
import { globMatcher } from './glob.ts'
import { walkFolder } from './walk-folder.ts'
import type { WorktreeDiff } from './worktree-diff.ts'

/** A file whose complete content goes into a dump, or a link, whose target is its content. */
export interface FileContent {
  readonly path: Buffer
  readonly mode: '100644' | '100755' | '120000'
  readonly sha256: string
  readonly bytes: Buffer
}

/** Options for collecting files. */
export interface CollectFilesOptions extends AbortableOptions {
  readonly limits: Required<DumpLimits>
  readonly ignore: readonly string[]
  readonly note: (note: DumpNote) => void
}

/** Files of a folder with their digests; `complete` is false if there are more than are listed. */
export interface ListedFiles {
  readonly files: readonly ManifestFile[]
  readonly complete: boolean
}

/** Lists the files that head and patch of a work tree give, with the digests of their current content. */
export async function filesOfDiff(
  { root, files, changes }: Pick<WorktreeDiff, 'root' | 'files' | 'changes'>,
  options: CollectFilesOptions,
): Promise<ListedFiles> {
  const changed = new Map(changes.map(({ path, status }) => [path.toString('latin1'), status]))
  const statusOf = (path: Buffer): ManifestFile['status'] => {
    const status = changed.get(path.toString('latin1'))
    return status === 'deleted' ? undefined : status
  }
  const listed = files.slice(0, options.limits.files)
  const paths = listed.map(({ path }) => path)
  return { files: await digestAll(root, paths, statusOf, options), complete: listed.length === files.length }
}

/** Lists the files of a folder outside of any repository. */
export async function filesOfFolder(root: string, options: CollectFilesOptions): Promise<ListedFiles> {
  const { limits, signal, note } = options
  const ignore = foldersInside(root, root, options.ignore)
  const walked = await walkFolder(root, {
    ignore,
    max: limits.files,
    signal,
  })
  for (const path of walked.unreadable)
    note({ code: 'folder-unreadable', message: `the folder ${pathFields(path).path || '.'} cannot be read` })
  const paths = walked.files.map(({ path }) => path)
  return { files: await digestAll(root, paths, () => undefined, options), complete: !walked.cut }
}

async function digestAll(
  root: string,
  paths: readonly Buffer[],
  statusOf: (path: Buffer) => ManifestFile['status'],
  { note, signal }: CollectFilesOptions,
): Promise<ManifestFile[]> {
  const entries = await inParallel(paths, 16, async (path): Promise<ManifestFile | undefined> => {
    signal?.throwIfAborted()
    const status = statusOf(path)
    try {
      const found = await digestFile(root, path)
      // A sparse checkout, or a file that was deleted in the meantime.
      return found && { ...pathFields(path), ...found, status }
    } catch (error) {
      const reason = errorCode(error) ?? messageOf(error)
      note({ code: 'file-unreadable', message: `${pathFields(path).path} cannot be read: ${reason}` })
      return { ...pathFields(path), size: 0, mode: '100644', status }
    }
  })
  return entries.filter((entry) => entry !== undefined)
}

/** Maximum number of files that are matched with globs. */
const maxWalked = 500_000

/** Collects the files that globs name, below `sandbox`, with paths from `root`. Links are reported and left out. */
export async function filesOfGlobs(
  root: string,
  sandbox: string,
  globs: readonly string[],
  { limits, ignore, note, signal }: CollectFilesOptions,
): Promise<FileContent[]> {
  if (globs.length === 0) return []
  const matchers = globs.map(globMatcher)
  const folder = await realpath(sandbox)
  const inside = relative(root, folder).split(sep).join('/')
  const walked = await walkFolder(folder, {
    ignore: foldersInside(folder, folder, ignore),
    max: maxWalked,
    signal,
  })
  if (walked.cut) note({ code: 'snapshots-cut', message: `only the first ${maxWalked} files were looked at` })
  const taken: FileContent[] = []
  const leave = (path: Buffer, reason: string): void =>
    note({ code: 'snapshot-left-out', message: `${pathFields(path).path} is not stored whole: ${reason}` })
  let total = 0
  for (const { path, link } of walked.files) {
    const name = path.toString('utf8')
    if (!matchers.some((matches) => matches(name))) continue
    signal?.throwIfAborted()
    if (link) {
      leave(path, 'it is a link')
      continue
    }
    const file = await readContent(folder, path, limits.snapshotFile, leave)
    if (file === undefined) continue
    if (total + file.bytes.length > limits.snapshotTotal)
      leave(path, `all would be more than ${limits.snapshotTotal} bytes`)
    else {
      total += file.bytes.length
      taken.push({ ...file, path: inside === '' ? path : Buffer.concat([Buffer.from(`${inside}/`), path]) })
    }
  }
  return taken
}

/** Reads the content of one file; undefined if that fails, with the reason reported. */
export async function readContent(
  root: string,
  path: Buffer,
  maxBytes: number,
  leave: (path: Buffer, reason: string) => void,
): Promise<FileContent | undefined> {
  try {
    const file = await readSmallFile(root, path, maxBytes)
    if (file === undefined) {
      leave(path, `it is not a file, or larger than ${maxBytes} bytes`)
      return undefined
    }
    const { mode, sha256, bytes } = file
    return { path, mode, sha256, bytes }
  } catch (error) {
    leave(path, `it cannot be read: ${errorCode(error) ?? messageOf(error)}`)
    return undefined
  }
}
