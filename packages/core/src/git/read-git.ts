import { lstatSync, realpathSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { cleanLine } from '../session/clean-text.ts'
import { known } from '../session/known.ts'
import { type ChangedFile, parseStatus } from './parse-status.ts'
import { type GitAnswer, type RunGitOptions, runGit, sharedTime } from './run-git.ts'

/** The state of a Git repository at one moment; a missing field is unknown or has no value. */
export interface GitRepository {
  readonly state: 'repository'
  /** Top folder of the work tree; absent in a bare repository. */
  readonly root?: string
  /** Absent with a detached head. */
  readonly branch?: string
  /** Full commit id; absent before the first commit. */
  readonly head?: string
  readonly detached?: true
  readonly bare?: true
  /** Set in a work tree that `git worktree add` made. */
  readonly worktree?: true
  readonly upstream?: string
  /** Commits that the upstream branch lacks, and commits that only it has; as of the last fetch. */
  readonly ahead?: number
  readonly behind?: number
  /** Absent in a bare repository, or if git was too slow to report it. */
  readonly dirty?: boolean
  /**
   * The first 50 files that differ from the head, including untracked ones; paths start at the root. Omits submodules.
   */
  readonly files: readonly ChangedFile[]
  /** The number of all changed files. */
  readonly changed: number
}

/** The result of {@link readGit}: a repository, or the reason why there is none to read. */
export type GitReading =
  | GitRepository
  | { readonly state: 'no-repository' }
  | { readonly state: 'no-git' }
  | { readonly state: 'failed'; readonly message: string }

/** Options of {@link readGit}. */
export interface ReadGitOptions extends RunGitOptions {
  /** Folders whose files do not count as changed, such as the store's. Relative paths start at `cwd`. */
  readonly ignore?: readonly string[] | undefined
}

const maxFiles = 50

const placeQuestions = ['--is-inside-work-tree', '--is-bare-repository'] as const
const placePaths = ['--git-dir', '--git-common-dir', '--show-toplevel'] as const

/** Reads the state of the repository around a folder without changing it. Throws only if `signal` is aborted. */
export async function readGit(cwd: string, options: ReadGitOptions = {}): Promise<GitReading> {
  if (!isFolder(cwd)) return { state: 'failed', message: `there is no folder ${cleanLine(cwd)}` }
  // To start git takes longer than all else that most callers do.
  if (!mayBeInRepository(cwd)) return { state: 'no-repository' }
  const within = sharedTime(options)
  const ask = (...args: string[]): Promise<GitAnswer> => runGit(cwd, args, within)
  const place = await ask('rev-parse', ...placeQuestions, ...placePaths)
  const [inside, bare, ...paths] = oneLine(place).split(/\r?\n/)
  // Without a work tree the rest is refused, after the first answers.
  if (inside === 'false') return await readBare(ask, bare === 'true')
  if (place.end !== 'ok') return notRead(place)
  // The name of a folder may have line feeds; then each path is asked for by itself.
  const asked =
    paths.length === placePaths.length
      ? []
      : await Promise.all(placePaths.map((path) => ask('rev-parse', path)))
  const fault = asked.find(({ end }) => end !== 'ok')
  if (fault !== undefined) return notRead(fault)
  const [own = '', common = '', root = ''] = asked.length === 0 ? paths : asked.map(oneLine)
  // `core.worktree` can name any folder, even `/`: whoever wrote it could make us read everything there.
  if (!holdsRepository(root))
    return {
      state: 'failed',
      message: `core.worktree points to ${cleanLine(root)}, which holds no repository`,
    }
  const status = await ask(
    ...['status', '--porcelain=v2', '--branch', '-z', '--untracked-files=normal', '--ignore-submodules=all'],
    ...exclusions(root, cwd, options.ignore ?? []),
  )
  const worktree = resolve(cwd, own) !== resolve(cwd, common)
  const tree = { state: 'repository', root, ...(worktree && { worktree }) } as const
  if (status.end !== 'ok') return { ...tree, ...(await readHead(ask)), files: [], changed: 0 }
  const parsed = parseStatus(status.stdout, maxFiles)
  return { ...tree, ...parsed, dirty: parsed.changed > 0 }
}

async function readBare(
  ask: (...args: string[]) => Promise<GitAnswer>,
  bare: boolean,
): Promise<GitRepository> {
  const head = await readHead(ask)
  return { state: 'repository', ...head, ...(bare && { bare }), files: [], changed: 0 }
}

async function readHead(ask: (...args: string[]) => Promise<GitAnswer>) {
  const [branch, head] = await Promise.all([
    ask('symbolic-ref', '--quiet', '--short', 'HEAD'),
    ask('rev-parse', '--quiet', '--verify', 'HEAD^{commit}'),
  ])
  return known<Pick<GitRepository, 'branch' | 'head' | 'detached'>>({
    branch: branch.end === 'ok' ? oneLine(branch) : undefined,
    head: head.end === 'ok' ? oneLine(head) : undefined,
    detached: branch.end === 'refused' ? true : undefined,
  })
}

function notRead(answer: GitAnswer): GitReading {
  if (answer.end === 'missing') return { state: 'no-git' }
  if (/not a git repository/i.test(answer.stderr)) return { state: 'no-repository' }
  const message = cleanLine(answer.stderr).slice(0, 300)
  return { state: 'failed', message: message || 'git gave no answer' }
}

/** A folder name may end with white space: only the newline is git's. */
function oneLine(answer: GitAnswer): string {
  return answer.stdout.replace(/\r?\n$/, '')
}

function exclusions(root: string, cwd: string, folders: readonly string[]): string[] {
  const inside = foldersInside(root, cwd, folders)
  if (inside.length === 0) return []
  return ['--', ':(top)', ...inside.map((path) => `:(top,exclude,literal)${path}`)]
}

/** Returns the folders that are below `root`, as `/`-joined paths from there. Relative folders start at `cwd`. */
export function foldersInside(root: string, cwd: string, folders: readonly string[]): string[] {
  return folders
    .map((folder) => {
      // Git reports its root with links resolved.
      const real = realPath(resolve(cwd, folder))
      return relative(root, real).split(sep).join('/')
    })
    .filter((path) => path !== '' && path !== '..' && !path.startsWith('../'))
}

function realPath(path: string): string {
  try {
    return realpathSync.native(path)
  } catch {
    // Not there: then nothing below it counts as changed either.
    return path
  }
}

/** Whether a folder is the top of a work tree: `.git` in it is a folder, or a file that names one. */
function holdsRepository(folder: string): boolean {
  try {
    lstatSync(join(folder, '.git'))
    return true
  } catch {
    // No matter what is in the way, there is none to read.
    return false
  }
}

/** False if no folder from this one up holds what git looks for: `.git`, or the `HEAD` of a bare repository. */
function mayBeInRepository(cwd: string): boolean {
  for (let folder = realPath(cwd); ; folder = dirname(folder)) {
    if (!isMissing(join(folder, '.git')) || !isMissing(join(folder, 'HEAD'))) return true
    if (folder === dirname(folder)) return false
  }
}

function isMissing(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) === undefined
  } catch {
    // Git may be able to look there.
    return false
  }
}

function isFolder(path: string): boolean {
  try {
    return lstatSync(`${path}${sep}.`).isDirectory()
  } catch {
    // No matter what is in the way, git cannot run there.
    return false
  }
}
