import { constants } from 'node:fs'
import { access, copyFile, lstat, mkdir, mkdtemp, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { errorCode } from '../../errors.ts'
import { foldersInside } from '../../git/read-git.ts'
import { runGitBytes } from '../../git/run-git.ts'
import { inParallel } from '../../storage/in-parallel.ts'
import type { DumpNote } from '../dump-schema.ts'
import type { DumpLimits } from '../halt.ts'
import { isNoText } from './found-file.ts'
import { firstLine, type GitCall, gitOutput, nulEnded, oneLine, records } from './git-output.ts'

/** A file that differs from the head. */
export interface FileChange {
  readonly path: string
  readonly status: 'added' | 'modified' | 'deleted'
  /** Its earlier path, if it moved without a change of its content. */
  readonly from?: string
}

/** The part of a patch about one file; a file whose type changed has two. */
export interface PatchSection {
  readonly change: FileChange
  readonly bytes: Buffer
}

/** A work tree against its head. */
export interface WorktreeDiff {
  readonly root: string
  /** Absent before the first commit: the patch then starts from an empty tree. */
  readonly head?: string
  /** Staged, unstaged and untracked as one patch for `git apply`. */
  readonly sections: readonly PatchSection[]
  readonly changes: readonly FileChange[]
  /** All files that head and patch give. */
  readonly files: readonly string[]
  /** Untracked files that the patch leaves out, and why. */
  readonly omitted: readonly { readonly path: string; readonly size?: number; readonly reason: string }[]
}

/** How a halted sandbox is read. */
export interface WorktreeDiffOptions extends GitCall {
  readonly limits: Required<DumpLimits>
  /** Folders to leave out; relative ones are below the folder. */
  readonly ignore: readonly string[]
  readonly note: (note: DumpNote) => void
}

/**
 * Compares the work tree that a folder is in with its head. Works on a copy of the index with its own objects, in a
 * temporary folder: index, work tree and objects of the repository do not change. Throws {@link TenfoldError}
 * `git-failed`.
 */
export async function worktreeDiff(folder: string, options: WorktreeDiffOptions): Promise<WorktreeDiff> {
  const { limits, ignore, note, timeout, signal, filters } = options
  const call: GitCall = { timeout, signal, filters }
  const root = oneLine(await gitOutput(folder, ['rev-parse', '--show-toplevel'], call))
  const head = await headOf(root, call)
  const { taken, omitted } = await untrackedFiles(root, foldersInside(root, folder, ignore), limits, call)
  const temporary = await mkdtemp(join(tmpdir(), 'tenfold-halt-'))
  try {
    const own = { ...call, env: await separateIndex(root, temporary, call), maxOutput: listBytes }
    const run = (args: readonly string[], more: { input?: Buffer; maxOutput?: number } = {}) =>
      gitOutput(root, [...quick, ...args], { ...own, ...more })
    const staged = async () => listFiles(await run(['ls-files', '--stage', '-z']))
    // To see whether a submodule changed, `git add` would run `git status` in it, with the filters that the settings
    // of the submodule name, and no option keeps it from that.
    const submodules = (await staged()).submodules.map((path) => `:(top,exclude,literal)${path}`)
    const add = ['add', '--update', '--ignore-errors', '--pathspec-from-file=-', '--pathspec-file-nul']
    const added = await runGitBytes(root, [...quick, ...add], {
      ...own,
      input: nulEnded([':/', ...submodules]),
    })
    if (added.end !== 'ok')
      note({ code: 'git-add', message: `git could not read all tracked files: ${firstLine(added.stderr)}` })
    if (taken.length > 0)
      await run(['update-index', '--add', '--remove', '-z', '--stdin'], { input: nulEnded(taken) })
    const base =
      head ?? oneLine(await run(['hash-object', '-t', 'tree', '--stdin'], { input: Buffer.alloc(0) }))
    const diff = (renames: string, form: readonly string[], maxOutput = listBytes) =>
      run(['diff-index', '--cached', '--ignore-submodules=all', renames, ...form, base, '--'], { maxOutput })
    const withMoves = await diff(exactRenames, rawForm)
    const renames = movesLink.test(withMoves.toString('latin1')) ? '--no-renames' : exactRenames
    const raw = renames === exactRenames ? withMoves : await diff(renames, rawForm)
    const { changes, bySection } = parseRaw(raw)
    const patch = splitPatch(await diff(renames, patchForm, limits.patch))
    const listed = await staged()
    for (const path of listed.submodules)
      note({ code: 'submodule', message: `the patch leaves out what changed in the submodule ${path}` })
    if (changes.length > 0) await noteFilters(root, changes, call, note)
    const sections = bySection.flatMap((change, index) => {
      const bytes = patch[index]
      return bytes === undefined ? [] : [{ change, bytes }]
    })
    return { root, ...(head !== undefined && { head }), sections, changes, files: listed.files, omitted }
  } finally {
    await rm(temporary, { recursive: true, force: true })
  }
}

/** There can be many names; a patch has its own limit. */
const listBytes = 512 * 2 ** 20

/**
 * Objects written here are temporary: they need not be packed, and no part of the index may end up in the repository.
 */
const quick = ['core.looseCompression=0', 'core.splitIndex=false', 'core.safecrlf=false'].flatMap(
  (setting) => ['-c', setting],
)

// No user setting affects the patch: git-diff-index is plumbing, and everything else is set here.
const rawForm = ['--raw', '-z', '--no-abbrev']
const patchForm = [
  ...['--patch', '--binary', '--full-index', '--no-color', '--no-ext-diff', '--no-textconv'],
  ...['--src-prefix=a/', '--dst-prefix=b/', '--unified=3', '--inter-hunk-context=0'],
]
// Only identical files count as moved: otherwise a moved folder would be in the patch twice.
const exactRenames = '--find-renames=100%'
/** git-apply (2.39) does not see that a moved link is no longer in the way of a folder. */
const movesLink = /(?:^|\0):120000 \d+ \w+ \w+ R/

async function headOf(root: string, call: GitCall): Promise<string | undefined> {
  const head = await runGitBytes(root, ['rev-parse', '--quiet', '--verify', 'HEAD^{commit}'], call)
  return head.end === 'ok' ? oneLine(head.stdout) : undefined
}

/**
 * Variables by which git works on a copy of the index, and writes new objects separately from those of the repository.
 */
async function separateIndex(
  root: string,
  temporary: string,
  call: GitCall,
): Promise<Record<string, string>> {
  const places = ['--git-path', 'index', '--git-path', 'objects']
  const output = await gitOutput(root, ['rev-parse', '--path-format=absolute', ...places], call)
  const [index = '', objects = ''] = output.toString('utf8').split('\n')
  const ownIndex = join(temporary, 'index')
  const ownObjects = join(temporary, 'objects')
  try {
    const { mtimeMs } = await stat(index)
    await copyFile(index, ownIndex)
    // Git compares files again that changed when the index was written or later; a copy would look younger than it is.
    const second = Math.floor(mtimeMs / 1000)
    await utimes(ownIndex, second, second)
  } catch (error) {
    // A repository in which nothing was added yet has no index.
    if (errorCode(error) !== 'ENOENT') throw error
  }
  await mkdir(join(ownObjects, 'info'), { recursive: true })
  await writeFile(join(ownObjects, 'info/alternates'), `${quoted(objects)}\n`)
  return { GIT_INDEX_FILE: ownIndex, GIT_OBJECT_DIRECTORY: ownObjects }
}

/** Quotes a path that git would interpret, https://git-scm.com/docs/gitrepository-layout */
function quoted(path: string): string {
  return /^["#]/.test(path) ? `"${path.replace(/["\\]/g, '\\$&')}"` : path
}

/** Reads `git diff-index --raw -z`, https://git-scm.com/docs/git-diff-index#_raw_output_format */
function parseRaw(output: Buffer): { changes: FileChange[]; bySection: FileChange[] } {
  const changes: FileChange[] = []
  const bySection: FileChange[] = []
  const fields = records(output).values()
  for (const about of fields) {
    const letter = about.split(' ')[4]?.[0]
    const moved = letter === 'R' ? { from: fields.next().value ?? '' } : {}
    const status = letter === 'A' || letter === 'R' ? 'added' : letter === 'D' ? 'deleted' : 'modified'
    const change: FileChange = { path: fields.next().value ?? '', status, ...moved }
    changes.push(change)
    bySection.push(change, ...(letter === 'T' ? [change] : []))
  }
  return { changes, bySection }
}

/** Splits a patch into sections. No line of a hunk or of binary data begins like a header. */
function splitPatch(patch: Buffer): Buffer[] {
  const sections: Buffer[] = []
  for (let start = 0; start < patch.length; ) {
    const next = patch.indexOf('\ndiff --git ', start)
    const end = next === -1 ? patch.length : next + 1
    sections.push(patch.subarray(start, end))
    start = end
  }
  return sections
}

/** Reads `git ls-files --stage -z`. */
function listFiles(output: Buffer): { readonly files: string[]; readonly submodules: string[] } {
  const all = records(output).map((record) => {
    const tab = record.indexOf('\t')
    return { path: record.slice(tab + 1), isSubmodule: record.startsWith('160000 ') }
  })
  const paths = (isSubmodule: boolean) =>
    all.filter((each) => each.isSubmodule === isSubmodule).map(({ path }) => path)
  return { files: paths(false), submodules: paths(true) }
}

/** Reports the patch's content of files that Git LFS or a similar filter keeps elsewhere. */
async function noteFilters(
  root: string,
  changes: readonly FileChange[],
  call: GitCall,
  note: (note: DumpNote) => void,
): Promise<void> {
  const input = nulEnded(changes.map(({ path }) => path))
  const args = ['check-attr', '-z', '--stdin', 'filter']
  const fields = records(await gitOutput(root, args, { ...call, input, maxOutput: listBytes }))
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [path, , filter = ''] = fields.slice(at, at + 3)
    if (filter === 'unspecified' || filter === 'unset') continue
    const message = call.filters
      ? `${path} goes through the filter ${filter}: the patch holds its output; a snapshot would hold its content`
      : `the filter ${filter} of ${path} was not run, since a repository can name any program as one: the patch holds the file as it is (to run filters: gitFilters, --git-filters)`
    note({ code: 'file-filtered', message })
  }
}

/** Lists the untracked files of a work tree that are not ignored, and those that are left out; `ignore` are folders. */
async function untrackedFiles(
  root: string,
  ignore: readonly string[],
  limits: Required<DumpLimits>,
  call: GitCall,
): Promise<{ readonly taken: readonly string[]; readonly omitted: WorktreeDiff['omitted'] }> {
  const list = ['ls-files', '--others', '--exclude-standard', '-z']
  const paths = records(await gitOutput(root, list, { ...call, maxOutput: listBytes })).filter(
    (path) => !ignore.some((folder) => path.startsWith(`${folder}/`)),
  )
  const found = await inParallel(paths, 16, async (path) => ({ path, ...(await untrackedFile(root, path)) }))
  const taken: string[] = []
  const omitted: { path: string; size: number; reason: string }[] = []
  let total = 0
  for (const { path, size, fault } of found) {
    const full = `all untracked files before it are ${total} bytes, of ${limits.untrackedTotal} at most`
    const isLarge = size > limits.untrackedFile
    const reason =
      fault ??
      (isLarge ? `it is larger than ${limits.untrackedFile} bytes` : undefined) ??
      (total + size > limits.untrackedTotal ? full : undefined)
    if (reason === undefined) {
      total += size
      taken.push(path)
    } else omitted.push({ path, size, reason })
  }
  return { taken, omitted }
}

async function untrackedFile(root: string, path: string): Promise<{ size: number; fault?: string }> {
  // Git lists a repository within the work tree as a folder.
  if (path.endsWith('/')) return { size: 0, fault: 'it is a separate repository' }
  if (isNoText(path)) return { size: 0, fault: 'its name is not UTF-8' }
  const place = join(root, path)
  try {
    const found = await lstat(place)
    if (found.isFile()) await access(place, constants.R_OK)
    return { size: found.size }
  } catch (error) {
    const code = errorCode(error) ?? 'unknown'
    return { size: 0, fault: code === 'ENOENT' ? 'it is gone' : `it cannot be read: ${code}` }
  }
}
