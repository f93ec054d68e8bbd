import { createHash } from 'node:crypto'
import { lstat, readlink } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { errorCode } from '../errors.ts'
import { readRegularFile } from '../regular-file.ts'
import { compareGit, type GitClaim, isCommitId, type LiveFinding } from './compare-git.ts'
import { shownPath } from './git-line.ts'
import { type GitReading, isWithin, type ReadGitOptions, readGit } from './read-git.ts'
import { runGit, sharedTime } from './run-git.ts'

/** A file that existed, with what was known about its content then. */
export interface ClaimedFile {
  /**
   * The file's name in findings: its path below the root of the repository, or below `cwd` if there is no repository.
   */
  readonly path: string
  /** The absolute path of the file if it is not below the root. */
  readonly place?: string | undefined
  /** As {@link fileState} gives it. If it is known, it alone decides. */
  readonly digest?: string | undefined
  /** Head of the repository then. */
  readonly head?: string | undefined
  /** ISO 8601. A file that was last changed before this time is unchanged. */
  readonly at?: string | undefined
}

/** The earlier state of a repository and of files. */
export interface LiveClaim {
  /** What was said about the repository. */
  readonly git?: GitClaim | undefined
  /** What was said about files. */
  readonly files?: readonly ClaimedFile[] | undefined
}

/** The outcome of a comparison: what is no longer true, or `holds` if nothing changed. */
export interface LiveCheck {
  /** True if nothing was found that differs. */
  readonly holds: boolean
  /** Claims that no longer hold. */
  readonly findings: readonly LiveFinding[]
  /** The repository as it is now. */
  readonly git: GitReading
}

/** Options of {@link liveCheck}. */
export interface LiveCheckOptions extends ReadGitOptions {
  /** The repository as it is now, if it was already read. */
  readonly git?: GitReading | undefined
}

/** File system clocks and log clocks differ slightly. */
const slack = 2_000
const parallelLooks = 32
const maxClaimedFiles = 5_000

/**
 * Compares what was true with the folder `cwd` and its repository as they are now. Only reads, fetches nothing and runs
 * nothing except git. Throws only if `signal` is aborted.
 */
export async function liveCheck(
  claim: LiveClaim,
  cwd: string,
  options: LiveCheckOptions = {},
): Promise<LiveCheck> {
  const git = options.git ?? (await readGit(cwd, options))
  const within = sharedTime(options)
  const findings = [
    ...(claim.git === undefined ? [] : await compareGit(claim.git, git, cwd, within)),
    ...(await compareFiles(claim.files ?? [], git, cwd, within)),
  ]
  return { holds: findings.length === 0, findings, git }
}

async function compareFiles(
  claimed: readonly ClaimedFile[],
  git: GitReading,
  cwd: string,
  options: ReadGitOptions,
): Promise<LiveFinding[]> {
  const files = [...new Map(claimed.map((file) => [file.path, file])).values()].slice(0, maxClaimedFiles)
  const base = (git.state === 'repository' && git.root) || resolve(cwd)
  const placeOf = (file: ClaimedFile): string => file.place ?? resolve(base, file.path)
  const changes = new Map<string | undefined, Promise<Differs | undefined>>()
  const changesOnce = (head: string | undefined): Promise<Differs | undefined> => {
    const asked = changes.get(head) ?? changesSince(head, git, options)
    changes.set(head, asked)
    return asked
  }
  const missing: LiveFinding[] = []
  const changed: LiveFinding[] = []
  for (let start = 0; start < files.length; start += parallelLooks) {
    const batch = files.slice(start, start + parallelLooks)
    const states = await Promise.all(batch.map((file) => fileState(placeOf(file))))
    options.signal?.throwIfAborted()
    for (const [index, file] of batch.entries()) {
      const state = states[index]
      // U+FFFD replaces bytes that are not UTF-8: the name of the file is not known.
      if (state === undefined || file.path.includes('\ufffd')) continue
      const { path } = file
      if (!state.exists) missing.push({ code: 'file-gone', message: `${shownPath(path)} is gone`, path })
      else if (await isChanged(file, placeOf(file), state, changesOnce))
        changed.push({ code: 'file-changed', message: `${shownPath(path)} changed since`, path })
    }
  }
  return [...missing, ...changed]
}

/** Whether the file at an absolute path differs from an earlier head. */
type Differs = (path: string) => boolean

/**
 * Without a digest, a file changed if it is newer than the claim and, if git knows, differs from the head of then. Git
 * is asked only about a newer file: it takes longer than all else.
 */
async function isChanged(
  file: ClaimedFile,
  place: string,
  state: FileState,
  changes: (head: string | undefined) => Promise<Differs | undefined>,
): Promise<boolean> {
  if (file.digest !== undefined && state.digest !== undefined) return file.digest !== state.digest
  const isOlder =
    file.at !== undefined && state.changedAt !== undefined && state.changedAt <= Date.parse(file.at) + slack
  if (isOlder) return false
  const differs = await changes(file.head)
  return differs === undefined ? file.at !== undefined : differs(place)
}

async function changesSince(
  head: string | undefined,
  git: GitReading,
  options: ReadGitOptions,
): Promise<Differs | undefined> {
  if (git.state !== 'repository' || git.root === undefined || !isCommitId(head)) return undefined
  // The end of a long list of changed files is unknown: then only the time of the last change decides.
  if (git.dirty === undefined || git.changed > git.files.length) return undefined
  const { root } = git
  const args = ['--no-ext-diff', '--no-textconv', '--no-renames', '--ignore-submodules=all', '--name-only']
  const diff = await runGit(root, ['diff', ...args, '-z', head, '--'], options)
  if (diff.end !== 'ok' || diff.cut) return undefined
  const differing = new Set(diff.stdout.split('\0').map((path) => join(root, path)))
  const untracked = git.files
    .filter((file) => file.status === 'untracked')
    .map((file) => join(root, file.path))
  // If git tracks nothing in a folder, it lists only the folder.
  return (path) => differing.has(path) || untracked.some((place) => isWithin(place, path))
}

export interface FileState {
  readonly exists: boolean
  /** First 16 hex digits of the SHA-256 of the content, or of a link's target; absent for folders and above 4 MiB. */
  readonly digest?: string
  readonly changedAt?: number
}

const maxBytes = 4 * 1024 * 1024

/** Inspects a file without following a link. A file that cannot be read counts as existing. */
export async function fileState(path: string): Promise<FileState> {
  try {
    const found = await lstat(path)
    const changedAt = found.mtimeMs
    if (found.isSymbolicLink()) return { exists: true, changedAt, digest: digestOf(await readlink(path)) }
    if (!found.isFile() || found.size > maxBytes) return { exists: true, changedAt }
    const content = await readRegularFile(path, { links: false, maxBytes })
    return { exists: true, changedAt, digest: digestOf(content) }
  } catch (error) {
    const code = errorCode(error)
    // A path that contains NUL cannot name a file.
    return { exists: code !== 'ENOENT' && code !== 'ENOTDIR' && code !== 'ERR_INVALID_ARG_VALUE' }
  }
}

function digestOf(content: Uint8Array | string): string {
  return createHash('sha256').update(content).digest('hex').slice(0, 16)
}
