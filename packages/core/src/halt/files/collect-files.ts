import { realpath } from 'node:fs/promises'
import { relative, sep } from 'node:path'
import { errorCode, messageOf } from '../../errors.ts'
import { foldersInside, type GitReading } from '../../git/read-git.ts'
import { known } from '../../session/known.ts'
import { inParallel } from '../../storage/in-parallel.ts'
import { dumpPaths } from '../dump-keys.ts'
import type { DumpNote, ManifestFile, MissingPart } from '../dump-schema.ts'
import { type DumpHaltOptions, type DumpLimits, defaultLimits } from '../halt.ts'
import { digestFile, type FileContent, isNoText, readContent, walkFolder } from './found-file.ts'
import { globMatcher } from './glob.ts'
import { type WorktreeDiff, type WorktreeDiffOptions, worktreeDiff } from './worktree-diff.ts'

/** What was not available, and what is odd. */
export interface DumpLosses {
  readonly missing: MissingPart[]
  readonly notes: DumpNote[]
}

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

/** Collects the patch of a sandbox, all its files with their digests, and those to store whole. */
export async function collectFiles(
  sandbox: string,
  git: GitReading,
  given: DumpHaltOptions,
  { missing, notes }: DumpLosses,
): Promise<CollectedFiles> {
  const {
    ignore = [],
    snapshots: globs = [],
    gitTimeout: timeout = 60_000,
    signal,
    gitFilters: filters,
  } = given
  const limits: Required<DumpLimits> = { ...defaultLimits, ...known(given.limits ?? {}) }
  const note = (added: DumpNote): void => void notes.push(added)
  const options = { limits, ignore, note, signal, timeout, filters }
  const lost = (path: string, code: MissingPart['code'], reason: string): undefined => {
    signal?.throwIfAborted()
    missing.push({ path, code, reason })
  }
  const fault = faultOf(git)
  const diff =
    fault !== undefined
      ? lost(dumpPaths.patch, ...fault)
      : await worktreeDiff(sandbox, options).catch((error: unknown) => {
          const reason = messageOf(error)
          return lost(dumpPaths.patch, /printed more than/.test(reason) ? 'too-large' : 'failed', reason)
        })
  const root = diff?.root ?? sandbox
  const found = diff ?? (await filesOfFolder(root, options))
  const paths = found.files.slice(0, limits.files)
  const statuses = new Map(diff?.changes.map(({ path, status }) => [path, status]))
  const snapshots = await filesOfGlobs(root, sandbox, globs, options).catch((error: unknown) =>
    lost(dumpPaths.snapshots, 'failed', messageOf(error)),
  )
  return {
    root,
    ...known({ diff }),
    listed: await digestAll(root, paths, statuses, options),
    complete: paths.length === found.files.length,
    snapshots: snapshots ?? [],
    maxFileBytes: limits.snapshotFile,
  }
}

/** Why there is no patch. */
function faultOf(git: GitReading): [code: MissingPart['code'], reason: string] | undefined {
  if (git.state === 'no-repository') return ['none', 'the sandbox is in no Git repository']
  if (git.state === 'no-git') return ['failed', 'git is not installed']
  if (git.state === 'failed') return ['failed', git.message]
  if (git.root === undefined) return ['none', 'the sandbox is a bare repository: it has no work tree']
  return undefined
}

/** The files of a folder outside of any repository. */
async function filesOfFolder(
  root: string,
  { ignore, limits, signal, note }: WorktreeDiffOptions,
): Promise<{ readonly files: readonly string[] }> {
  const options = { ignore: foldersInside(root, root, ignore), max: limits.files + 1, signal }
  const { files, unreadable } = await walkFolder(root, options)
  for (const path of unreadable)
    note({ code: 'folder-unreadable', message: `the folder ${path || '.'} cannot be read` })
  return { files: files.map(({ path }) => path) }
}

async function digestAll(
  root: string,
  paths: readonly string[],
  statuses: ReadonlyMap<string, string>,
  { note, signal }: WorktreeDiffOptions,
): Promise<ManifestFile[]> {
  const entries = await inParallel(paths, 16, async (path): Promise<ManifestFile | undefined> => {
    signal?.throwIfAborted()
    const found = statuses.get(path)
    const status = found === 'added' || found === 'modified' ? ({ status: found } as const) : {}
    const unreadable = (reason: string) =>
      note({ code: 'file-unreadable', message: `${path} cannot be read: ${reason}` })
    try {
      if (isNoText(path)) return void unreadable('its name is not UTF-8')
      const file = await digestFile(root, path)
      // A sparse checkout, or a file that was deleted in the meantime.
      return file && { path, ...file, ...status }
    } catch (error) {
      unreadable(errorCode(error) ?? messageOf(error))
      return { path, size: 0, mode: '100644', ...status }
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
  { limits, ignore, note, signal }: WorktreeDiffOptions,
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
    if (!matchers.some((matches) => matches(path))) continue
    signal?.throwIfAborted()
    const file = link ? 'it is a link' : await contentOrReason(folder, path, limits.snapshotFile)
    const isFull = typeof file !== 'string' && total + file.bytes.length > limits.snapshotTotal
    if (typeof file === 'string' || isFull) {
      const reason = typeof file === 'string' ? file : `all would be more than ${limits.snapshotTotal} bytes`
      note({ code: 'snapshot-left-out', message: `${path} is not stored whole: ${reason}` })
      continue
    }
    total += file.bytes.length
    taken.push({ ...file, path: inside === '' ? path : `${inside}/${path}` })
  }
  return taken
}

async function contentOrReason(root: string, path: string, maxBytes: number): Promise<FileContent | string> {
  try {
    const file = await readContent(root, path, maxBytes)
    return file ?? `it is not a file, or larger than ${maxBytes} bytes`
  } catch (error) {
    return `it cannot be read: ${errorCode(error) ?? messageOf(error)}`
  }
}
