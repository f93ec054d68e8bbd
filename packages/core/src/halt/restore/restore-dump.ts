import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { messageOf } from '../../errors.ts'
import { runGitBytes } from '../../git/run-git.ts'
import { shownPath } from '../../git/shown-path.ts'
import type { AbortableOptions } from '../../session/abortable-options.ts'
import { known } from '../../session/known.ts'
import { inParallel } from '../../storage/in-parallel.ts'
import { dumpPaths } from '../dump-keys.ts'
import type { DumpMetadata, FileManifest } from '../dump-schema.ts'
import { digestFile, pathFault } from '../files/found-file.ts'
import { firstLine, type GitCall } from '../files/git-output.ts'
import { type HaltDump, readFileManifest } from '../stored-dumps.ts'
import { prepareFolder, refused } from './prepare-folder.ts'
import { existsAt, removeRestored, writeRestored } from './write-restored.ts'

/** Options of {@link restoreDump}. */
export interface RestoreDumpOptions extends AbortableOptions {
  /**
   * Path or URL of the repository: the head at that time is cloned into the folder.
   * @default the folder is a checkout of it
   */
  readonly repository?: string | undefined
  /** Milliseconds that each call of git may take. @default 120_000 */
  readonly gitTimeout?: number | undefined
  /** Run the content filters (Git LFS) that the settings of the folder's repository name. @default false */
  readonly gitFilters?: boolean | undefined
}

/** A file that differs from its state when the run was halted. */
export interface RestoreFinding {
  /** `redacted` and `not-stored` are what the dump announces; the others are faults. */
  readonly code:
    | 'redacted'
    | 'not-stored'
    | 'missing'
    | 'differs'
    | 'mode'
    | 'not-deleted'
    | 'refused'
    | 'patch-failed'
  /** The file that differs, relative to the folder. */
  readonly path: string
  /** How it differs from the dump. */
  readonly message: string
}

/** A restored sandbox. */
export interface RestoredDump {
  /** The dump that was restored. */
  readonly haltId: string
  /** Real path of the folder. */
  readonly folder: string
  /** Commit that the halted run stood on, if it ran in a repository. */
  readonly head?: string
  /** True if the only differences are those that the dump itself announces (marks, files left out). */
  readonly ok: boolean
  /** Number of files that match the file manifest. */
  readonly equal: number
  /** What is not as it was in the halted run; empty if all is. */
  readonly findings: readonly RestoreFinding[]
}

/**
 * Restores the files of a sandbox: the head at that time, the patch, the file snapshots; each file is compared with the
 * file manifest. The folder must be a clean checkout of that head, or empty with `repository` given or without a head.
 * Throws {@link TenfoldError} `restore-refused`, and {@link StorageError} if the file manifest is damaged.
 */
export async function restoreDump(
  dump: HaltDump,
  folder: string,
  options: RestoreDumpOptions = {},
): Promise<RestoredDump> {
  const { haltId, parts } = dump
  const files = fileManifestOf(dump)
  const { signal, gitFilters: filters, gitTimeout: timeout = 120_000 } = options
  const call = { timeout, signal, filters }
  const root = await prepareFolder(folder, files, options.repository, call)
  const findings: RestoreFinding[] = []
  const attempt = async (path: string, run: () => Promise<void>): Promise<void> => {
    try {
      await run()
    } catch (error) {
      findings.push({ code: 'refused', path, message: messageOf(error) })
    }
  }
  const patch = parts.get(dumpPaths.patch)
  if (patch !== undefined && patch.byteLength > 0) findings.push(...(await applyPatch(root, patch, call)))
  for (const path of files.deleted) await attempt(path, () => removeRestored(root, path))
  for (const { path, part, sha256, mode } of files.snapshots) {
    const bytes = parts.get(part)
    if (bytes === undefined || isMarked(path)) continue
    await attempt(path, async () => {
      // Files that head and patch already restored are not written again.
      if ((await digestFile(root, path))?.sha256 !== sha256) await writeRestored(root, path, bytes, mode)
    })
  }
  const checked = await checkRestored(root, files, dump.metadata ?? {})
  findings.push(...checked.findings)
  const ok = findings.every(({ code }) => code === 'redacted' || code === 'not-stored')
  return { haltId, folder: root, ...known({ head: files.head }), ok, equal: checked.equal, findings }
}

function fileManifestOf(dump: HaltDump): FileManifest {
  const { haltId, state, metadata, faults } = dump
  const files = readFileManifest(dump)
  if (files !== undefined) return files
  if (state === 'incomplete' || state === 'damaged') {
    const reasons = faults.map(({ message }) => message).join('; ')
    throw refused(`The dump ${haltId} is ${state}: ${reasons}.`)
  }
  const why = metadata?.missing.find(({ path }) => path === dumpPaths.files)?.reason
  throw refused(`The dump ${haltId} holds no files to restore: ${why ?? 'it is not in the dump'}.`)
}

/** Git itself refuses paths that leave the work tree, lead into `.git`, or through a link. */
async function applyPatch(root: string, patch: Uint8Array, call: GitCall): Promise<RestoreFinding[]> {
  const temporary = await mkdtemp(join(tmpdir(), 'tenfold-restore-'))
  try {
    const file = join(temporary, 'patch')
    await writeFile(file, patch)
    const applied = await runGitBytes(root, ['apply', '--whitespace=nowarn', file], call)
    if (applied.end === 'ok') return []
    const message = `the patch does not apply, so none of it was restored: ${firstLine(applied.stderr)}`
    return [{ code: 'patch-failed', path: dumpPaths.patch, message }]
  } finally {
    await rm(temporary, { recursive: true, force: true })
  }
}

/** Whether redaction changed a name: its file is not restored. */
function isMarked(path: string): boolean {
  return path.includes('[redacted:')
}

/** Compares a restored folder with the file manifest, file by file. */
async function checkRestored(
  root: string,
  { files, snapshots, deleted, omitted }: FileManifest,
  { patch, missing = [] }: Partial<DumpMetadata>,
): Promise<{ readonly equal: number; readonly findings: readonly RestoreFinding[] }> {
  const marked = new Set([
    ...(patch?.redactedFiles ?? []).map(({ path }) => path),
    ...snapshots.flatMap(({ path, redacted = 0 }) => (redacted > 0 ? [path] : [])),
  ])
  const noPatch = missing.some(({ path }) => path === dumpPaths.patch)
  const stored = new Set(snapshots.map(({ path }) => path))
  const finding = (code: RestoreFinding['code'], path: string, message: string): RestoreFinding => ({
    code,
    path,
    message: `${shownPath(path)} ${message}`,
  })
  const listed = new Set(files.map(({ path }) => path))
  const expected = [...files, ...snapshots.filter(({ path }) => !listed.has(path))]
  const found = await inParallel(expected, 16, async ({ path, sha256, mode }) => {
    if (pathFault(path) !== undefined) return finding('refused', path, 'is not a path in the folder')
    const now = await digestFile(root, path)
    if (now !== undefined && now.sha256 === sha256 && now.mode === mode) return undefined
    if (marked.has(path) || isMarked(path))
      return finding('redacted', path, 'held secrets: the dump has marks in their place')
    // Without a patch only what was stored whole can exist.
    if (now === undefined && noPatch && !stored.has(path))
      return finding('not-stored', path, 'is not in the dump')
    if (now === undefined) return finding('missing', path, 'is missing')
    if (sha256 === undefined)
      return finding('not-stored', path, 'has no digest in the dump, so it cannot be compared')
    if (now.sha256 !== sha256) return finding('differs', path, 'has different content than before')
    return finding('mode', path, `has mode ${now.mode}, it had ${mode}`)
  })
  const findings = found.filter((each) => each !== undefined)
  const equal = expected.length - findings.length
  for (const path of deleted)
    if (await existsAt(root, path)) findings.push(finding('not-deleted', path, 'was deleted, but exists'))
  for (const { path, reason } of omitted)
    if (!stored.has(path)) findings.push(finding('not-stored', path, `is not in the dump: ${reason}`))
  return { equal, findings }
}
