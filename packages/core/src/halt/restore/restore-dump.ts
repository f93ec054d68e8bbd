import { hash } from 'node:crypto'
import { lstat, mkdir, readdir, realpath, rm, rmdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { errorCode, messageOf, TenfoldError } from '../../errors.ts'
import { shownPath } from '../../git/git-line.ts'
import { oneLine, runGitBytes } from '../../git/run-git.ts'
import type { AbortableOptions } from '../../session/abortable-options.ts'
import { known } from '../../session/known.ts'
import { dumpPaths } from '../dump-keys.ts'
import type { FileManifest, ManifestFile } from '../dump-schema.ts'
import { firstLine, type GitCall, gitOutput } from '../files/collect-files.ts'
import { foldersOf, isGone, pathFault } from '../files/found-file.ts'
import { type HaltDump, readFileManifest } from '../stored-dumps.ts'

/** Options of {@link restoreDump}. */
export interface RestoreDumpOptions extends AbortableOptions {
  /**
   * Path or URL of the repository; the head of the dump is cloned into the folder.
   * @default the folder is a checkout of it
   */
  readonly repository?: string | undefined
  /** Run the content filters (Git LFS) of the repository's settings. @default false */
  readonly gitFilters?: boolean | undefined
}

/** A file that differs from its state when the run was halted. */
export interface RestoreFinding {
  /** `redacted` and `not-stored` are announced by the dump; the others are faults. */
  readonly code: 'redacted' | 'not-stored' | 'differs' | 'refused'
  /** Path relative to the folder. */
  readonly path: string
  /** How it differs from the dump. */
  readonly message: string
}

/** Result of {@link restoreDump}. */
export interface RestoredDump {
  /** Id of the dump that was restored. */
  readonly haltId: string
  /** Real path of the folder. */
  readonly folder: string
  /** Commit of the halted run, if it ran in a repository. */
  readonly head?: string
  /** True if the only differences are those that the dump announces (marks, files left out). */
  readonly ok: boolean
  /** Number of files in the file manifest that are as they were when the run was halted. */
  readonly equal: number
  /** Differences from the halted run. */
  readonly findings: readonly RestoreFinding[]
}

/**
 * Restores the files of a sandbox: the head of the dump, and the files that differed from it, each compared with its
 * digest in the file manifest. The folder must be a clean checkout of that head, or empty with `repository` given or
 * without a head. Throws {@link TenfoldError} `restore-refused`, and {@link StorageError} if the file manifest is
 * damaged.
 */
export async function restoreDump(
  dump: HaltDump,
  folder: string,
  options: RestoreDumpOptions = {},
): Promise<RestoredDump> {
  const { head, files } = fileManifestOf(dump)
  const { signal, gitFilters: filters } = options
  const root = await prepareFolder(folder, head, options.repository, { timeout: 120_000, signal, filters })
  const findings: RestoreFinding[] = []
  const isDeleted = ({ status }: ManifestFile): boolean => status === 'deleted'
  // Deleted files first, because a file may now be in place of their folder.
  const ordered = [...files.filter(isDeleted), ...files.filter((file) => !isDeleted(file))]
  for (const file of ordered) {
    signal?.throwIfAborted()
    const found = await restoreFile(root, file, dump)
    if (found !== undefined) findings.push({ path: file.path, ...found })
  }
  const ok = findings.every(({ code }) => code === 'redacted' || code === 'not-stored')
  const equal = files.length - findings.length
  return { haltId: dump.haltId, folder: root, ...known({ head }), ok, equal, findings }
}

function fileManifestOf(dump: HaltDump): FileManifest {
  const { haltId, state, metadata, faults } = dump
  const files = readFileManifest(dump)
  if (files !== undefined) return files
  if (state === 'damaged')
    throw refused(`The dump ${haltId} is damaged: ${faults.map(({ message }) => message).join('; ')}.`)
  const why = metadata?.missing.find(({ path }) => path === dumpPaths.files)?.reason
  throw refused(`The dump ${haltId} has no files to restore: ${why ?? 'it is not in the dump'}.`)
}

async function restoreFile(
  root: string,
  { path, status, part, mode = '100644', sha256, redacted, reason }: ManifestFile,
  { parts }: HaltDump,
): Promise<Omit<RestoreFinding, 'path'> | undefined> {
  const finding = (code: RestoreFinding['code'], message: string) => ({
    code,
    message: `${shownPath(path)} ${message}`,
  })
  try {
    // The names of such files are unknown.
    if (path.includes('[redacted:'))
      return finding('redacted', 'held a secret in its name: it is not restored')
    if (status === 'deleted') return void (await remove(root, path))
    if (part === undefined)
      return finding('not-stored', `is not in the dump: ${reason ?? 'only its name was known'}`)
    const bytes = parts.get(part)
    if (bytes === undefined) return finding('not-stored', `is not in the dump: it has no ${shownPath(part)}`)
    await write(await placeIn(root, path), bytes, mode)
    if ((redacted ?? 0) > 0) return finding('redacted', 'held secrets: the dump has marks in their place')
    if (hash('sha256', bytes) !== sha256) return finding('differs', 'has different content than before')
    return undefined
  } catch (error) {
    return { code: 'refused', message: messageOf(error) }
  }
}

/** Returns the place of a path below a folder. Throws if its names, or a link along it, lead out of the folder. */
async function placeIn(root: string, path: string): Promise<string> {
  let fault = pathFault(path)
  for (const folder of fault === undefined ? foldersOf(path) : []) {
    const found = await lstat(join(root, folder)).catch((error: unknown) => {
      if (!isGone(error)) throw error
    })
    if (found?.isDirectory() === false) fault ??= `${folder} is not a folder`
  }
  if (fault !== undefined) throw refused(`the dump names the path ${JSON.stringify(path)}: ${fault}`)
  return join(root, path)
}

async function write(place: string, bytes: Uint8Array, mode: ManifestFile['mode']): Promise<void> {
  await mkdir(dirname(place), { recursive: true })
  await rm(place, { force: true })
  if (mode === '120000') await symlink(Buffer.from(bytes), place)
  else await writeFile(place, bytes, { flag: 'wx', mode: mode === '100755' ? 0o755 : 0o644 })
}

/** Also removes empty parent folders, which git does not keep. */
async function remove(root: string, path: string): Promise<void> {
  await rm(await placeIn(root, path), { force: true })
  for (const folder of foldersOf(path).reverse()) {
    try {
      await rmdir(join(root, folder))
    } catch (error) {
      if (errorCode(error) === 'ENOENT') continue
      if (['ENOTEMPTY', 'EEXIST'].includes(errorCode(error) ?? '')) return
      throw error
    }
  }
}

/**
 * Prepares a folder: clones and checks out the head if `from`, the path or URL of a repository, is given; otherwise
 * checks that the folder is a clean checkout of it, or empty if there is no head. Returns its real path. Throws {@link
 * TenfoldError} `restore-refused`.
 */
async function prepareFolder(
  folder: string,
  head: string | undefined,
  from: string | undefined,
  call: GitCall,
): Promise<string> {
  if (head === undefined || from !== undefined) await emptyFolder(folder)
  if (head !== undefined && from !== undefined) await checkOut(folder, from, head, call)
  const hint = `Make a checkout of ${head} there (git worktree add --detach), or name the repository (option repository).`
  const root = await realpath(folder).catch((error: unknown) => {
    throw isGone(error) ? refused(`${folder} does not exist. ${hint}`) : error
  })
  if (head !== undefined && from === undefined) await assertClean(root, head, hint, call)
  return root
}

function refused(message: string): TenfoldError {
  return new TenfoldError('restore-refused', message)
}

async function emptyFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true })
    if ((await readdir(folder)).length === 0) return
  } catch (error) {
    throw refused(`${folder} cannot be made or read: ${messageOf(error)}`)
  }
  throw refused(`${folder} is not empty; name a folder that is, or that does not exist.`)
}

async function checkOut(folder: string, from: string, head: string, call: GitCall): Promise<void> {
  const place = resolve(folder)
  // A path is treated as a path even if it begins like an option or like `host:path`.
  const isFolder = await lstat(join(resolve(from), '.')).then(
    (found) => found.isDirectory(),
    () => false,
  )
  // All settings of a new clone are ours or the user's, so the user's own filters (Git LFS) may run.
  const own = { ...call, filters: true, protocols: 'file:git:http:https:ssh' }
  const source = ['--template=', '--', isFolder ? resolve(from) : from, place]
  const cloned = await runGitBytes(dirname(place), ['clone', '--quiet', '--no-checkout', ...source], own)
  if (cloned.end !== 'ok') throw refused(`${from} cannot be cloned: ${firstLine(cloned.stderr)}`)
  const found = await runGitBytes(place, ['cat-file', '-e', `${head}^{commit}`], call)
  // A commit on no branch is not cloned, but can be fetched.
  if (found.end !== 'ok') {
    const fetched = await runGitBytes(place, ['fetch', '--quiet', 'origin', head], own)
    if (fetched.end !== 'ok') throw refused(`${from} does not have the commit ${head} of the dump.`)
  }
  await gitOutput(place, ['checkout', '--quiet', '--detach', head, '--'], own)
}

async function assertClean(root: string, head: string, hint: string, call: GitCall): Promise<void> {
  const top = await runGitBytes(root, ['rev-parse', '--show-toplevel'], call)
  if (top.end !== 'ok' || (await realpath(oneLine(top))) !== root)
    throw refused(`${root} is not the top folder of a Git work tree. ${hint}`)
  const now = oneLine({ stdout: await gitOutput(root, ['rev-parse', 'HEAD'], call) })
  if (now !== head) throw refused(`${root} is at ${now}, the dump was made at ${head}. ${hint}`)
  // Submodules are ignored, because git would run the filters of their settings to look for changes.
  const options = ['--porcelain', '-z', '--untracked-files=all', '--ignored', '--ignore-submodules=dirty']
  const status = await gitOutput(root, ['status', ...options], call)
  if (status.length > 0) throw refused(`${root} is not a clean checkout; files in it could be lost. ${hint}`)
}
