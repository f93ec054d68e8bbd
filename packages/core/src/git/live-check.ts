import { createHash } from 'node:crypto'
import { lstat, readlink } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { errorCode } from '../errors.ts'
import { readRegularFile } from '../regular-file.ts'
import { compareGit, type GitClaim, isCommitId, type LiveFinding } from './compare-git.ts'
import { shownPath } from './git-line.ts'
import { type GitReading, isWithin, type ReadGitOptions, readGit } from './read-git.ts'
import { runGit, sharedTime } from './run-git.ts'

/** A file that existed, with what was known about its content. */
export interface ClaimedFile {
  /** Path below the root of the repository, or below `cwd` if there is no repository; findings use it as the name. */
  readonly path: string
  /** The absolute path of the file if it is not below the root. */
  readonly place?: string | undefined
  /** Digest from {@link fileState}. If both digests are known, nothing else is compared. */
  readonly digest?: string | undefined
  /** Head of the repository at the time of the claim. */
  readonly head?: string | undefined
  /** Time of the claim, ISO 8601. A file last changed before it counts as unchanged. */
  readonly at?: string | undefined
}

/** The earlier state of a repository and of files. */
export interface LiveClaim {
  /** State of the repository at the time of the claim. */
  readonly git?: GitClaim | undefined
  /** Files that existed at the time of the claim. */
  readonly files?: readonly ClaimedFile[] | undefined
}

/** Result of a comparison. */
export interface LiveCheck {
  /** True if there are no findings. */
  readonly holds: boolean
  /** Claims that no longer hold. */
  readonly findings: readonly LiveFinding[]
  /** The repository as it is now. */
  readonly git: GitReading
}

/** Options of {@link liveCheck}. */
export interface LiveCheckOptions extends ReadGitOptions {
  /** The current repository, if the caller has read it already. */
  readonly git?: GitReading | undefined
}

/** Milliseconds by which the clocks of file system and log may differ. */
const slack = 2_000
const parallelLooks = 32
const maxClaimedFiles = 5_000

/**
 * Compares a claim with the folder `cwd` and its repository as they are now. Only reads, fetches nothing and runs only
 * git. Throws only if `signal` is aborted.
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
      // U+FFFD replaces bytes that are not UTF-8, so the real name of the file is unknown.
      if (state === undefined || file.path.includes('\ufffd')) continue
      const { path } = file
      if (!state.exists) missing.push({ code: 'file-gone', message: `${shownPath(path)} is gone`, path })
      else if (await isChanged(file, placeOf(file), state, changesOnce))
        changed.push({ code: 'file-changed', message: `${shownPath(path)} changed since`, path })
    }
  }
  return [...missing, ...changed]
}

/** Whether the file at an absolute path differs from that of an earlier head. */
type Differs = (path: string) => boolean

/**
 * Without a digest, a file counts as changed if it is newer than the claim and git, if it can tell, reports a
 * difference from the head of the claim. Git is asked only about newer files, because it is the slowest check.
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
  // If the list of changed files is cut, only the time of the last change decides.
  if (git.dirty === undefined || git.changed > git.files.length) return undefined
  const { root } = git
  const args = ['--no-ext-diff', '--no-textconv', '--no-renames', '--ignore-submodules=all', '--name-only']
  const diff = await runGit(root, ['diff', ...args, '-z', head, '--'], options)
  if (diff.end !== 'ok' || diff.cut) return undefined
  const differing = new Set(diff.stdout.split('\0').map((path) => join(root, path)))
  const untracked = git.files
    .filter((file) => file.status === 'untracked')
    .map((file) => join(root, file.path))
  // For a folder without tracked files, git lists only the folder itself.
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
