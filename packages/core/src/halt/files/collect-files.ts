import { realpath } from 'node:fs/promises'
import { relative, sep } from 'node:path'
import { errorCode, messageOf } from '../../errors.ts'
import { foldersInside, type GitReading } from '../../git/read-git.ts'
import type { AbortableOptions } from '../../session/abortable-options.ts'
import { known } from '../../session/known.ts'
import { inParallel } from '../../storage/in-parallel.ts'
import { dumpPaths } from '../dump-keys.ts'
import type { DumpNote, ManifestFile, MissingPart } from '../dump-schema.ts'
import { type DumpHaltOptions, type DumpLimits, defaultLimits } from '../halt.ts'
import { pathFields } from './file-path.ts'
import { digestFile, type FileContent, readContent } from './found-file.ts'
import { globMatcher } from './glob.ts'
import { walkFolder } from './walk-folder.ts'
import { type WorktreeDiff, worktreeDiff } from './worktree-diff.ts'

/** The files of a sandbox, secrets included. */
export interface CollectedFiles {
  readonly root: string
  readonly diff?: WorktreeDiff
  readonly listed: readonly ManifestFile[]
  /** False if there are more files than are listed. */
  readonly complete: boolean
  /** Files to store whole. */
  readonly snapshots: readonly FileContent[]
  readonly maxFileBytes: number
}

/** What was not available, and what is odd. */
export interface DumpLosses {
  missing: MissingPart[]
  readonly notes: DumpNote[]
}

interface CollectOptions extends AbortableOptions {
  readonly limits: Required<DumpLimits>
  readonly ignore: readonly string[]
  readonly note: (note: DumpNote) => void
}

/** Collects the patch of a sandbox, all its files with their digests, and those to store whole. */
export async function collectFiles(
  sandbox: string,
  git: GitReading,
  given: DumpHaltOptions,
  { missing, notes }: DumpLosses,
): Promise<CollectedFiles> {
  const { ignore = [], snapshots: globs = [], gitTimeout = 60_000, signal, gitFilters } = given
  const limits = { ...defaultLimits, ...known(given.limits ?? {}) }
  const note = (added: DumpNote): void => void notes.push(added)
  const options: CollectOptions = { limits, ignore, note, signal }
  const lost = (path: string, code: MissingPart['code'], reason: string): undefined => {
    signal?.throwIfAborted()
    missing.push({ path, code, reason })
  }
  const fault = faultOf(git)
  const diff =
    fault !== undefined
      ? lost(dumpPaths.patch, ...fault)
      : await worktreeDiff(sandbox, { ...options, timeout: gitTimeout, filters: gitFilters }).catch(
          (error: unknown) => {
            const reason = messageOf(error)
            return lost(dumpPaths.patch, /printed more than/.test(reason) ? 'too-large' : 'failed', reason)
          },
        )
  const root = diff?.root ?? sandbox
  const listed = diff === undefined ? await filesOfFolder(root, options) : await filesOfDiff(diff, options)
  const snapshots = await filesOfGlobs(root, sandbox, globs, options).catch((error: unknown) =>
    lost(dumpPaths.snapshots, 'failed', messageOf(error)),
  )
  return {
    root,
    ...known({ diff }),
    ...listed,
    snapshots: snapshots ?? [],
    maxFileBytes: limits.snapshotFile,
  }
}

/** Why there is no patch. */
function faultOf(git: GitReading): [code: MissingPart['code'], reason: string] | undefined {
  if (git.state === 'no-repository') return ['none', 'the sandbox is in no Git repository']
  if (git.state === 'no-git') return ['failed', 'git is not installed']
  if (git.state === 'failed') return ['failed', git.message]
  return git.root === undefined
    ? ['none', 'the sandbox is a bare repository: it has no work tree']
    : undefined
}

type Listed = Pick<CollectedFiles, 'listed' | 'complete'>

/** The files that head and patch of a work tree give, with the digests of their current content. */
async function filesOfDiff({ root, files, changes }: WorktreeDiff, options: CollectOptions): Promise<Listed> {
  const changed = new Map(changes.map(({ path, status }) => [path.toString('latin1'), status]))
  const paths = files.slice(0, options.limits.files).map(({ path }) => path)
  const statusOf = (path: Buffer): ManifestFile['status'] => {
    const status = changed.get(path.toString('latin1'))
    return status === 'deleted' ? undefined : status
  }
  const listed = await digestAll(root, paths, options, statusOf)
  return { listed, complete: paths.length === files.length }
}

/** The files of a folder outside of any repository. */
async function filesOfFolder(root: string, options: CollectOptions): Promise<Listed> {
  const { limits, signal, note } = options
  const ignore = foldersInside(root, root, options.ignore)
  const { files, unreadable, cut } = await walkFolder(root, { ignore, max: limits.files, signal })
  for (const path of unreadable)
    note({ code: 'folder-unreadable', message: `the folder ${pathFields(path).path || '.'} cannot be read` })
  const paths = files.map(({ path }) => path)
  return { listed: await digestAll(root, paths, options, () => undefined), complete: !cut }
}

async function digestAll(
  root: string,
  paths: readonly Buffer[],
  { note, signal }: CollectOptions,
  statusOf: (path: Buffer) => ManifestFile['status'],
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

/** The files that globs name, below `sandbox`, with paths from `root`. Links are reported and left out. */
async function filesOfGlobs(
  root: string,
  sandbox: string,
  globs: readonly string[],
  { limits, ignore, note, signal }: CollectOptions,
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
  let total = 0
  for (const { path, link } of walked.files) {
    const name = path.toString('utf8')
    if (!matchers.some((matches) => matches(name))) continue
    signal?.throwIfAborted()
    const file = link ? 'it is a link' : await contentOrReason(folder, path, limits.snapshotFile)
    const isFull = typeof file !== 'string' && total + file.bytes.length > limits.snapshotTotal
    if (typeof file === 'string' || isFull) {
      const reason = typeof file === 'string' ? file : `all would be more than ${limits.snapshotTotal} bytes`
      note({ code: 'snapshot-left-out', message: `${name} is not stored whole: ${reason}` })
      continue
    }
    total += file.bytes.length
    taken.push({ ...file, path: inside === '' ? path : Buffer.concat([Buffer.from(`${inside}/`), path]) })
  }
  return taken
}

async function contentOrReason(root: string, path: Buffer, maxBytes: number): Promise<FileContent | string> {
  try {
    const file = await readContent(root, path, maxBytes)
    return file ?? `it is not a file, or larger than ${maxBytes} bytes`
  } catch (error) {
    return `it cannot be read: ${errorCode(error) ?? messageOf(error)}`
  }
}
