import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { messageOf, TenfoldError } from '../../errors.ts'
import { type RunGitOptions, runGitBytes } from '../../git/run-git.ts'
import type { AbortableOptions } from '../../session/abortable-options.ts'
import { known } from '../../session/known.ts'
import type { Storage } from '../../storage/storage.ts'
import { type DumpPlace, dumpPaths } from '../dump-keys.ts'
import type { FileManifest } from '../dump-schema.ts'
import { pathBytes } from '../files/file-path.ts'
import { digestFile } from '../files/found-file.ts'
import { firstLine } from '../files/git-call.ts'
import { type HaltDump, loadDump, readFileManifest } from '../read-dump.ts'
import { checkRestored, type RestoreFinding } from './check-restored.ts'
import { prepareTarget } from './restore-target.ts'
import { removeRestored, writeRestored } from './write-restored.ts'

/** Options of {@link restoreDump}. */
export interface RestoreDumpOptions extends AbortableOptions, DumpPlace {
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
 * Throws {@link TenfoldError} `no-dump` and `restore-refused`, and {@link StorageError} if a required part is damaged.
 */
export async function restoreDump(
  storage: Storage,
  haltId: string,
  folder: string,
  options: RestoreDumpOptions = {},
): Promise<RestoredDump> {
  const dump = await loadDump(storage, haltId, options)
  const files = await fileManifestOf(dump, storage)
  // Read before anything is written: a damaged part leaves the folder unchanged.
  const patch = await dump.read(dumpPaths.patch)
  const contents = new Map<string, Uint8Array | undefined>()
  for (const part of new Set(files.snapshots.map((entry) => entry.part)))
    contents.set(part, await dump.read(part))
  const { signal, gitFilters: filters, gitTimeout: timeout = 120_000 } = options
  const call = { timeout, signal, filters }
  const { repository, head } = files
  const root = await prepareTarget(folder, { repository, head, from: options.repository }, call)
  const findings: RestoreFinding[] = []
  const attempt = async (path: string, run: () => Promise<void>): Promise<void> => {
    try {
      await run()
    } catch (error) {
      findings.push({ code: 'refused', path, message: messageOf(error) })
    }
  }
  if (patch !== undefined && patch.byteLength > 0) findings.push(...(await applyPatch(root, patch, call)))
  for (const entry of files.deleted) await attempt(entry.path, () => removeRestored(root, pathBytes(entry)))
  for (const entry of files.snapshots) {
    const bytes = contents.get(entry.part)
    const path = pathBytes(entry)
    if (bytes === undefined || entry.path.includes('[redacted:')) continue
    await attempt(entry.path, async () => {
      // Files that head and patch already restored are not written again.
      if ((await digestFile(root, path))?.sha256 !== entry.sha256)
        await writeRestored(root, path, bytes, entry.mode)
    })
  }
  const checked = await checkRestored(root, files, dump.metadata ?? {})
  findings.push(...checked.findings)
  const ok = findings.every(({ code }) => code === 'redacted' || code === 'not-stored')
  return { haltId, folder: root, ...known({ head }), ok, equal: checked.equal, findings }
}

async function fileManifestOf(dump: HaltDump, storage: Storage): Promise<FileManifest> {
  const { haltId, state, metadata } = dump
  if (state === 'incomplete')
    throw new TenfoldError(
      'restore-refused',
      `The dump ${haltId} in ${storage.name} is incomplete: without its manifest none of it can be checked. Its parts can be read one by one.`,
    )
  const files = await readFileManifest(dump)
  if (files !== undefined) return files
  const why =
    metadata?.missing.find(({ path }) => path === dumpPaths.files)?.reason ?? 'it is not in the dump'
  throw new TenfoldError('restore-refused', `The dump ${haltId} holds no files to restore: ${why}.`)
}

/** Git itself refuses paths that leave the work tree, lead into `.git`, or through a link. */
async function applyPatch(
  root: string,
  patch: Uint8Array,
  call: Pick<RunGitOptions, 'timeout' | 'signal' | 'filters'>,
): Promise<RestoreFinding[]> {
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
