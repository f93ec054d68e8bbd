import { realpath } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { messageOf, TenfoldError } from '../../errors.ts'
import { exclusions, foldersInside, type GitReading, type GitRepository } from '../../git/read-git.ts'
import { type RunGitBytesOptions, type RunGitOptions, runGitBytes } from '../../git/run-git.ts'
import { cleanLine } from '../../session/clean-text.ts'
import { known } from '../../session/known.ts'
import { dumpPaths } from '../dump-keys.ts'
import type { DumpNote, ManifestFile, MissingPart } from '../dump-schema.ts'
import { type DumpHaltOptions, defaultLimits } from '../halt.ts'
import { type FileContent, isNoText, readContent, walkFolder } from './found-file.ts'
import { globMatcher } from './glob.ts'

export interface DumpLosses {
  readonly missing: MissingPart[]
  readonly notes: DumpNote[]
}

export interface CollectedFiles {
  readonly root: string
  readonly head?: string
  readonly patch?: Buffer
  readonly files: readonly CollectedFile[]
  /** False if there are more files than listed. */
  readonly complete: boolean
}

type CollectedFile = Pick<ManifestFile, 'path' | 'status' | 'reason'> & {
  readonly content?: FileContent
}

type WorkTree = GitRepository & { readonly root: string }

type CollectOptions = Pick<DumpHaltOptions, 'ignore' | 'snapshots' | 'limits' | 'signal'> & {
  readonly call: GitCall
}

const maxWalked = 500_000

/** Reads the files of a sandbox. Without a repository, only files that match a glob are read; the others are listed. */
export async function collectFiles(
  sandbox: string,
  git: GitReading,
  options: CollectOptions,
  { missing, notes }: DumpLosses,
): Promise<CollectedFiles> {
  const { ignore = [], snapshots: globs = [], signal } = options
  const limits = { ...defaultLimits, ...known(options.limits ?? {}) }
  const tree = git.state === 'repository' && isReadable(git) ? git : undefined
  const patch = await patchOf(git, tree, sandbox, limits.patch, options).catch((error: unknown) => {
    signal?.throwIfAborted()
    const reason = messageOf(error)
    return [/printed more than/.test(reason) ? 'too-large' : 'failed', reason] as const
  })
  if (!Buffer.isBuffer(patch)) missing.push({ path: dumpPaths.patch, code: patch[0], reason: patch[1] })
  if (tree !== undefined) notes.push(...(await submoduleNotes(tree, options.call)))

  const folder = await realpath(sandbox)
  const root = tree?.root ?? folder
  const matchers = globs.map(globMatcher)
  const isWalked = tree === undefined || matchers.length > 0
  const walkOptions = { ignore: foldersInside(folder, folder, ignore), max: maxWalked, signal }
  const walked = isWalked ? await walkFolder(folder, walkOptions) : { files: [], unreadable: [] }
  for (const path of walked.unreadable)
    notes.push({ code: 'folder-unreadable', message: `the folder ${path || '.'} cannot be read` })
  if (walked.files.length === maxWalked)
    notes.push({ code: 'snapshots-cut', message: `only the first ${maxWalked} files were looked at` })
  const inside = relative(root, folder).split(sep).join('/')
  const named = walked.files
    .filter((path) => matchers.some((matches) => matches(path)))
    .map((path) => (inside === '' ? path : `${inside}/${path}`))
  const statuses = new Map<string, ManifestFile['status']>([
    ...named.map((path) => [path, undefined] as const),
    ...(tree?.files ?? []).map(
      ({ path, status }) => [path, isNew.has(status) ? 'added' : 'modified'] as const,
    ),
  ])

  let total = 0
  const read = async (path: string): Promise<FileContent | string | undefined> => {
    // Git lists a nested repository as a folder.
    if (path.endsWith('/')) return 'it is a separate repository'
    if (isNoText(path)) return 'its name is not UTF-8'
    const content = await readContent(join(root, path), limits.file)
    if (typeof content !== 'object') return content
    if (total + content.bytes.length > limits.total)
      return `all files would be more than ${limits.total} bytes`
    total += content.bytes.length
    return content
  }
  const files: CollectedFile[] = []
  for (const [path, status] of [...statuses].slice(0, limits.files)) {
    signal?.throwIfAborted()
    const content = await read(path)
    const found = typeof content === 'string' ? { reason: content } : known({ content })
    files.push({ path, ...known({ status: content === undefined ? 'deleted' : status }), ...found })
  }
  const others = tree === undefined ? walked.files.filter((path) => !statuses.has(path)) : []
  const unnamed = others.map((path) => ({ path, reason: 'no pattern of `snapshots` matches it' }))
  files.push(...unnamed.slice(0, limits.files - files.length))
  const complete = files.length === statuses.size + others.length
  return {
    root,
    complete,
    files: files.sort((a, b) => (a.path < b.path ? -1 : 1)),
    ...known({ head: tree?.head, patch: Buffer.isBuffer(patch) ? patch : undefined }),
  }
}

function isReadable(git: GitRepository): git is WorkTree {
  return git.root !== undefined && git.dirty !== undefined
}

const isNew: ReadonlySet<string> = new Set(['created', 'untracked'])

/**
 * Returns git's patch of the tracked changes, staged or not, or the reason why there is none. `git diff-index` ignores
 * settings that change its output, and does not write the index.
 */
async function patchOf(
  git: GitReading,
  tree: WorkTree | undefined,
  sandbox: string,
  maxOutput: number,
  { ignore = [], call }: CollectOptions,
): Promise<Buffer | readonly [code: MissingPart['code'], reason: string]> {
  if (git.state === 'no-repository') return ['none', 'the sandbox is in no Git repository']
  if (git.state === 'no-git') return ['failed', 'git is not installed']
  if (git.state === 'failed') return ['failed', git.message]
  if (git.root === undefined) return ['none', 'the sandbox is a bare repository: it has no work tree']
  if (tree === undefined) return ['failed', 'git did not say which files changed']
  if (tree.head === undefined) return ['none', 'the repository has no commit yet']
  const form = ['--patch', '--no-color', '--no-ext-diff', '--no-textconv', '--no-renames', '--unified=3']
  const paths = ['--src-prefix=a/', '--dst-prefix=b/', '--ignore-submodules=all', tree.head]
  const left = exclusions(tree.root, sandbox, ignore)
  const args = ['diff-index', ...form, ...paths, ...(left.length === 0 ? ['--'] : left)]
  return await gitOutput(tree.root, args, { ...call, maxOutput })
}

/** All submodules are noted, because git would run the filters that one names to see whether it changed. */
async function submoduleNotes({ root }: WorkTree, call: GitCall): Promise<DumpNote[]> {
  const maxOutput = 512 * 2 ** 20
  const listed = await gitOutput(root, ['ls-files', '--stage', '-z'], { ...call, maxOutput })
  const names = listed.toString('utf8').match(/(?<=(?:^|\0)160000 [^\t]*\t)[^\0]+/g) ?? []
  return names.map((path) => ({
    code: 'submodule',
    message: `the dump leaves out what changed in the submodule ${path}`,
  }))
}

export type GitCall = Pick<RunGitOptions, 'timeout' | 'signal' | 'filters'>

/** Returns the output of git. Throws {@link TenfoldError} `git-failed` with git's message if the command failed. */
export async function gitOutput(cwd: string, args: readonly string[], options: RunGitBytesOptions) {
  const { end, stdout, stderr, cut } = await runGitBytes(cwd, args, options)
  if (end === 'ok' && cut !== true) return stdout
  const command = `git ${args[0]}`
  const reason = {
    missing: 'git is not installed',
    stopped: `${command} was stopped: ${firstLine(stderr)}`,
    refused: `${command} failed: ${firstLine(stderr)}`,
    ok: `${command} printed more than ${options.maxOutput} bytes`,
  }[end]
  throw new TenfoldError('git-failed', reason)
}

export function firstLine(stderr: string): string {
  return cleanLine(stderr).slice(0, 300) || 'it gave no reason'
}
