import { constants } from 'node:fs'
import { access, copyFile, lstat, mkdir, mkdtemp, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { errorCode } from '../../errors.ts'
import { foldersInside } from '../../git/read-git.ts'
import { type RunGitOptions, runGitBytes } from '../../git/run-git.ts'
import type { AbortableOptions } from '../../session/abortable-options.ts'
import { inParallel } from '../../storage/in-parallel.ts'
import type { DumpNote } from '../dump-schema.ts'
import type { DumpLimits } from '../halt.ts'
import { type FilePath, pathFields, placeOf } from './file-path.ts'
import { firstLine, gitOutput, oneLine, splitNul } from './git-call.ts'

/** A file that differs from the head. */
export interface FileChange {
  readonly path: Buffer
  readonly status: 'added' | 'modified' | 'deleted'
  /** Its earlier path, if it moved without a change of its content. */
  readonly from?: Buffer
}

/** The part of a patch about one file; a file whose type changed has two. */
export interface PatchSection {
  readonly change: FileChange
  readonly bytes: Buffer
}

/** An untracked file that a patch leaves out, and why. */
interface OmittedFile extends FilePath {
  readonly size?: number
  readonly reason: string
}

/** A work tree against its head. */
export interface WorktreeDiff {
  readonly root: string
  /** Absent before the first commit: the patch then starts from an empty tree. */
  readonly head?: string
  /** Staged, unstaged and untracked as one patch for `git apply`. */
  readonly sections: readonly PatchSection[]
  readonly changes: readonly FileChange[]
  /** All files that head and patch give, with their modes in git. */
  readonly files: readonly { readonly path: Buffer; readonly mode: string }[]
  readonly submodules: readonly { readonly path: Buffer; readonly commit: string }[]
  readonly omitted: readonly OmittedFile[]
}

/** Options of {@link worktreeDiff}. */
export interface WorktreeDiffOptions extends AbortableOptions {
  readonly limits: Required<DumpLimits>
  /** Folders to leave out; relative ones are below the folder. */
  readonly ignore: readonly string[]
  readonly note: (note: DumpNote) => void
  readonly timeout?: number | undefined
  /** Run content filters such as Git LFS, see `RunGitOptions`. @default false */
  readonly filters?: boolean | undefined
}

type Call = Pick<RunGitOptions, 'timeout' | 'signal' | 'filters'>

/**
 * Compares the work tree that a folder is in with its head. Works on a copy of the index with its own objects, in a
 * temporary folder: index, work tree and objects of the repository do not change. Throws {@link TenfoldError}
 * `git-failed`.
 */
export async function worktreeDiff(folder: string, options: WorktreeDiffOptions): Promise<WorktreeDiff> {
  const { limits, ignore, note, timeout, signal, filters } = options
  const call: Call = { timeout, signal, filters }
  const root = oneLine(await gitOutput(folder, ['rev-parse', '--show-toplevel'], call))
  const head = await headOf(root, call)
  const own = foldersInside(root, folder, ignore)
  const { taken, omitted } = await untrackedFiles(root, own, limits, call)
  const temporary = await mkdtemp(join(tmpdir(), 'tenfold-halt-'))
  try {
    const env = await separateIndex(root, temporary, call)
    const run = (args: readonly string[], more: { input?: Buffer; maxOutput?: number } = {}) =>
      gitOutput(root, [...quick, ...args], { ...call, env, maxOutput: listBytes, ...more })
    const { submodules } = listFiles(await run(['ls-files', '--stage', '-z']))
    const added = await runGitBytes(
      root,
      [...quick, 'add', '--update', '--ignore-errors', '--pathspec-from-file=-', '--pathspec-file-nul'],
      { ...call, env, input: allBut(submodules) },
    )
    if (added.end !== 'ok')
      note({ code: 'git-add', message: `git could not read all tracked files: ${firstLine(added.stderr)}` })
    if (taken.length > 0) {
      const input = Buffer.concat(taken.flatMap((path) => [path, Buffer.of(0)]))
      await run(['update-index', '--add', '--remove', '-z', '--stdin'], { input })
    }
    const base =
      head ?? oneLine(await run(['hash-object', '-t', 'tree', '--stdin'], { input: Buffer.alloc(0) }))
    const rawOf = async (renames: string): Promise<Buffer> =>
      await run([...diff, renames, '--raw', '-z', '--no-abbrev', base, '--'])
    const withMoves = await rawOf(exactRenames)
    const renames = movesLink.test(withMoves.toString('latin1')) ? '--no-renames' : exactRenames
    const raw = renames === exactRenames ? withMoves : await rawOf(renames)
    const patch = await run([...diff, renames, ...patchForm, base, '--'], { maxOutput: limits.patch })
    const listed = listFiles(await run(['ls-files', '--stage', '-z']))
    const { changes, bySection } = parseRaw(raw)
    for (const { path } of listed.submodules) {
      const message = `the patch leaves out what changed in the submodule ${pathFields(path).path}`
      note({ code: 'submodule', message })
    }
    if (changes.length > 0) await noteFilters(root, changes, call, note)
    const sections = splitPatch(patch).flatMap((bytes, index) => {
      const change = bySection[index]
      return change === undefined ? [] : [{ change, bytes }]
    })
    return { root, ...(head !== undefined && { head }), sections, changes, ...listed, omitted }
  } finally {
    await rm(temporary, { recursive: true, force: true })
  }
}

/**
 * What `git add` works on, as its input. To see whether a submodule changed, it would run `git status` in it, with the
 * filters that the settings of the submodule name, and no option keeps it from that.
 */
function allBut(submodules: WorktreeDiff['submodules']): Buffer {
  const excluded = submodules.flatMap(({ path }) => [Buffer.from('\0:(top,exclude,literal)'), path])
  return Buffer.concat([Buffer.from(':/'), ...excluded])
}

/** There can be many names; a patch has its own limit. */
const listBytes = 512 * 2 ** 20

/**
 * Objects written here are temporary: they need not be packed, and no part of the index may end up in the repository.
 */
const quick = ['core.looseCompression=0', 'core.splitIndex=false', 'core.safecrlf=false'].flatMap(
  (setting) => ['-c', setting],
)

/** No user setting affects the patch: git-diff-index is plumbing, and everything else is set here. */
const diff = ['diff-index', '--cached', '--ignore-submodules=all']
// Only identical files count as moved: otherwise a moved folder would be in the patch twice.
const exactRenames = '--find-renames=100%'
/** git-apply (2.39) does not see that a moved link is no longer in the way of a folder. */
const movesLink = /(?:^|\0):120000 \d+ \w+ \w+ R/
const patchForm = [
  ...['--patch', '--binary', '--full-index', '--no-color', '--no-ext-diff', '--no-textconv'],
  ...['--src-prefix=a/', '--dst-prefix=b/', '--unified=3', '--inter-hunk-context=0'],
]

async function headOf(root: string, call: Call): Promise<string | undefined> {
  const head = await runGitBytes(root, ['rev-parse', '--quiet', '--verify', 'HEAD^{commit}'], call)
  return head.end === 'ok' ? oneLine(head.stdout) : undefined
}

/**
 * Variables by which git works on a copy of the index, and writes new objects separately from those of the repository.
 */
async function separateIndex(root: string, temporary: string, call: Call): Promise<Record<string, string>> {
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

/** Records of `git diff-index --raw -z`, https://git-scm.com/docs/git-diff-index#_raw_output_format */
function parseRaw(output: Buffer): { changes: FileChange[]; bySection: FileChange[] } {
  const records = splitNul(output)
  const changes: FileChange[] = []
  const bySection: FileChange[] = []
  for (let at = 0; at + 1 < records.length; at += 2) {
    const status = (records[at] as Buffer).toString('latin1').split(' ')[4]?.[0] ?? ''
    const moved = status === 'R'
    const from = moved ? { from: records[at + 1] as Buffer } : {}
    if (moved) at += 1
    const change: FileChange = {
      path: records[at + 1] as Buffer,
      status: status === 'A' || moved ? 'added' : status === 'D' ? 'deleted' : 'modified',
      ...from,
    }
    changes.push(change)
    bySection.push(change, ...(status === 'T' ? [change] : []))
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

/** Records of `git ls-files --stage -z`. */
function listFiles(output: Buffer): Pick<WorktreeDiff, 'files' | 'submodules'> {
  const files: { path: Buffer; mode: string }[] = []
  const submodules: { path: Buffer; commit: string }[] = []
  for (const record of splitNul(output)) {
    const tab = record.indexOf(9)
    const [mode = '', commit = ''] = record.subarray(0, tab).toString('latin1').split(' ')
    const path = record.subarray(tab + 1)
    if (mode === '160000') submodules.push({ path, commit })
    else files.push({ path, mode })
  }
  return { files, submodules }
}

/** Reports the patch's content of files that Git LFS or a similar filter keeps elsewhere. */
async function noteFilters(
  root: string,
  changes: readonly FileChange[],
  call: Call,
  note: (note: DumpNote) => void,
): Promise<void> {
  const input = Buffer.concat(changes.flatMap(({ path }) => [path, Buffer.of(0)]))
  const records = splitNul(
    await gitOutput(root, ['check-attr', '-z', '--stdin', 'filter'], {
      ...call,
      input,
      maxOutput: listBytes,
    }),
  )
  for (let at = 0; at + 2 < records.length; at += 3) {
    const filter = (records[at + 2] as Buffer).toString('utf8')
    if (filter === 'unspecified' || filter === 'unset') continue
    const { path } = pathFields(records[at] as Buffer)
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
  call: Call,
): Promise<{ readonly taken: readonly Buffer[]; readonly omitted: readonly OmittedFile[] }> {
  const list = ['ls-files', '--others', '--exclude-standard', '-z']
  const output = await gitOutput(root, list, { ...call, maxOutput: listBytes })
  const folders = ignore.map((path) => Buffer.from(`${path}/`))
  const paths = splitNul(output).filter(
    (path) => !folders.some((folder) => path.subarray(0, folder.length).equals(folder)),
  )
  const looks = await inParallel(paths, 16, async (path) => ({ path, ...(await untrackedFile(root, path)) }))
  const taken: Buffer[] = []
  const omitted: OmittedFile[] = []
  let total = 0
  for (const { path, size, fault } of looks) {
    const reason =
      fault ??
      (size > limits.untrackedFile
        ? `it is larger than ${limits.untrackedFile} bytes`
        : total + size > limits.untrackedTotal
          ? `all untracked files before it are ${total} bytes, of ${limits.untrackedTotal} at most`
          : undefined)
    if (reason !== undefined) omitted.push({ ...pathFields(path), size, reason })
    else {
      total += size
      taken.push(path)
    }
  }
  return { taken, omitted }
}

async function untrackedFile(root: string, path: Buffer): Promise<{ size: number; fault?: string }> {
  // Git lists a repository within the work tree as a folder.
  if (path.at(-1) === 0x2f) return { size: 0, fault: 'it is a separate repository' }
  const place = placeOf(root, path)
  try {
    const found = await lstat(place)
    if (found.isFile()) await access(place, constants.R_OK)
    return { size: found.size }
  } catch (error) {
    const code = errorCode(error) ?? 'unknown'
    return { size: 0, fault: code === 'ENOENT' ? 'it is gone' : `it cannot be read: ${code}` }
  }
}
