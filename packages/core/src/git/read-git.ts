import { lstatSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { cleanLine } from '../session/clean-text.ts'
import { known } from '../session/known.ts'
import { type ChangedFile, parseStatus } from './parse-status.ts'
import { type GitAnswer, oneLine, type RunGitOptions, runGit, seen, sharedTime } from './run-git.ts'

/** The state of a Git repository at one moment; a missing field is unknown or has no value. */
export interface GitRepository {
  /** Distinguishes a repository from the other results of {@link readGit}. */
  readonly state: 'repository'
  /** Top folder of the work tree; absent in a bare repository. */
  readonly root?: string
  /** Absent with a detached head. */
  readonly branch?: string
  /** Full commit id; absent before the first commit. */
  readonly head?: string
  /** Set if no branch is checked out. */
  readonly detached?: true
  /** Set if the repository has no work tree. */
  readonly bare?: true
  /** Set in a work tree that `git worktree add` made. */
  readonly worktree?: true
  /** The branch that this one tracks. */
  readonly upstream?: string
  /** Commits that the upstream lacks, as of the last fetch. */
  readonly ahead?: number
  /** Commits of the upstream that this branch lacks, as of the last fetch. */
  readonly behind?: number
  /** Absent in a bare repository, or if git was too slow to report it. */
  readonly dirty?: boolean
  /**
   * The files that differ from the head, including untracked ones: the first 50, or all with `allFiles`. Paths start at
   * the root. Omits submodules.
   */
  readonly files: readonly ChangedFile[]
  /** Total number of changed files. */
  readonly changed: number
}

/** A repository, or the reason why none can be read. */
export type GitReading =
  | GitRepository
  | { readonly state: 'no-repository' }
  | { readonly state: 'no-git' }
  | { readonly state: 'failed'; readonly message: string }

/** Options of {@link readGit}. */
export interface ReadGitOptions extends RunGitOptions {
  /** Folders whose files do not count as changed, such as the store's. Relative paths start at `cwd`. */
  readonly ignore?: readonly string[] | undefined
  /** List all files: each file of an untracked folder, and a moved file in both places. @default false */
  readonly allFiles?: boolean | undefined
}

const maxFiles = 50
const maxStatusBytes = 512 * 2 ** 20

const placeQuestions = ['--is-inside-work-tree', '--is-bare-repository'] as const
const placePaths = ['--git-dir', '--git-common-dir', '--show-toplevel'] as const

/** Reads the state of the repository around a folder without changing it. Throws only if `signal` is aborted. */
export async function readGit(cwd: string, options: ReadGitOptions = {}): Promise<GitReading> {
  if (!isFolder(cwd)) return { state: 'failed', message: `there is no folder ${cleanLine(cwd)}` }
  // Starting git takes longer than everything else that most callers do.
  if (!mayBeInRepository(cwd)) return { state: 'no-repository' }
  const within = sharedTime({ ...options, ...(options.allFiles && { maxOutput: maxStatusBytes }) })
  const ask: Ask = (...args) => runGit(cwd, args, within)
  const usual = usualTree(cwd)
  if (usual !== undefined) {
    const status = await askStatus(usual, cwd, ask, options)
    // If git refuses the place, `rev-parse` below reports why.
    if (status.end === 'ok' || status.end === 'stopped') return await readTree(usual, status, ask, options)
  }
  const place = await ask('rev-parse', ...placeQuestions, ...placePaths)
  const [inside, bare, ...paths] = oneLine(place).split(/\r?\n/)
  // Without a work tree, git prints the first answers and refuses the rest.
  if (inside === 'false') {
    const isBare = bare === 'true' && { bare: true as const }
    return { state: 'repository', ...(await readHead(ask)), ...isBare, files: [], changed: 0 }
  }
  if (place.end !== 'ok') return notRead(place)
  // A folder name may contain line feeds; then each path is asked for separately.
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
  const worktree = resolve(cwd, own) !== resolve(cwd, common)
  const tree = { root, ...(worktree && { worktree }) }
  return await readTree(tree, await askStatus(tree, cwd, ask, options), ask, options)
}

type WorkTree = Pick<GitRepository, 'root' | 'worktree'> & { readonly root: string }

/**
 * Returns the work tree around a folder without asking git, if `.git` is a folder and its config moves the work tree
 * nowhere else. The settings that matter: https://git-scm.com/docs/gitrepository-layout
 */
function usualTree(cwd: string): WorkTree | undefined {
  if (sep !== '/') return undefined
  for (let root = realPath(cwd); ; root = dirname(root)) {
    if (!isMissing(join(root, 'HEAD')) || root.endsWith('/.git')) return undefined
    if (!isMissing(join(root, '.git'))) {
      const settings = isFolder(join(root, '.git')) && regularText(join(root, '.git', 'config'))
      return typeof settings === 'string' && !/worktree|bare(?!\s*=\s*false\b)/i.test(settings)
        ? { root }
        : undefined
    }
    if (root === dirname(root)) return undefined
  }
}

function regularText(path: string): string | undefined {
  return seen(() => (statSync(path).isFile() ? readFileSync(path, 'utf8') : undefined))
}

type Ask = (...args: string[]) => Promise<GitAnswer>

async function askStatus({ root }: WorkTree, cwd: string, ask: Ask, options: ReadGitOptions) {
  const { ignore = [], allFiles } = options
  return await ask(
    ...['status', '--porcelain=v2', '--branch', '-z', '--ignore-submodules=all'],
    ...(allFiles ? ['--untracked-files=all', '--no-renames'] : ['--untracked-files=normal']),
    ...exclusions(root, cwd, ignore),
  )
}

async function readTree(
  tree: WorkTree,
  status: GitAnswer,
  ask: Ask,
  { allFiles }: ReadGitOptions,
): Promise<GitReading> {
  if (status.idle) return notRead(status)
  if (status.end !== 'ok')
    return { state: 'repository', ...tree, ...(await readHead(ask)), files: [], changed: 0 }
  const parsed = parseStatus(status.stdout, allFiles ? Number.POSITIVE_INFINITY : maxFiles)
  return { state: 'repository', ...tree, ...parsed, dirty: parsed.changed > 0 }
}

async function readHead(ask: Ask) {
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

/** Pathspecs that exclude the folders below `root`. */
export function exclusions(root: string, cwd: string, folders: readonly string[]): string[] {
  const inside = foldersInside(root, cwd, folders)
  if (inside.length === 0) return []
  return ['--', ':(top)', ...inside.map((path) => `:(top,exclude,literal)${path}`)]
}

/** Returns the folders below `root`, as paths from there joined by `/`. Relative folders start at `cwd`. */
export function foldersInside(root: string, cwd: string, folders: readonly string[]): string[] {
  // Git reports its root with links resolved.
  return folders
    .map((folder) => realPath(resolve(cwd, folder)))
    .filter((real) => real !== root && isWithin(root, real))
    .map((real) => relative(root, real).split(sep).join('/'))
}

export function isWithin(folder: string, path: string): boolean {
  const from = relative(folder, path)
  return from !== '..' && !from.startsWith(`..${sep}`) && !isAbsolute(from)
}

export function realPath(path: string): string {
  return seen(() => realpathSync.native(path)) ?? path
}

/** Whether a folder is the top of a work tree: it contains `.git`, a folder or a file that names one. */
function holdsRepository(folder: string): boolean {
  return seen(() => lstatSync(join(folder, '.git'))) !== undefined
}

/** False if neither this folder nor one above it contains `.git`, or the `HEAD` of a bare repository. */
function mayBeInRepository(cwd: string): boolean {
  for (let folder = realPath(cwd); ; folder = dirname(folder)) {
    if (!isMissing(join(folder, '.git')) || !isMissing(join(folder, 'HEAD'))) return true
    if (folder === dirname(folder)) return false
  }
}

/** False if unknown, for example without permission: git may still be able to look there. */
function isMissing(path: string): boolean {
  return seen(() => lstatSync(path, { throwIfNoEntry: false }) === undefined) ?? false
}

function isFolder(path: string): boolean {
  return seen(() => lstatSync(`${path}${sep}.`).isDirectory()) ?? false
}
