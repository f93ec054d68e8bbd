import { lstat, mkdir, rm, rmdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { errorCode, messageOf } from '../../errors.ts'
import { shownPath } from '../../git/git-line.ts'
import type { AbortableOptions } from '../../session/abortable-options.ts'
import { known } from '../../session/known.ts'
import { dumpPaths } from '../dump-keys.ts'
import type { FileManifest, ManifestFile } from '../dump-schema.ts'
import { foldersOf, isGone, pathFault, sha256Of } from '../files/found-file.ts'
import { type HaltDump, readFileManifest } from '../stored-dumps.ts'
import { prepareFolder, refused } from './prepare-folder.ts'

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
  readonly code: 'redacted' | 'not-stored' | 'differs' | 'refused'
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
  /** Number of files that are as they were in the halted run, without those of the head. */
  readonly equal: number
  /** What is not as it was in the halted run; empty if all is. */
  readonly findings: readonly RestoreFinding[]
}

/**
 * Restores the files of a sandbox: the head at that time, and the files that differed from it; each is compared with its
 * digest in the file manifest. The folder must be a clean checkout of that head, or empty with `repository` given or
 * without a head. Throws {@link TenfoldError} `restore-refused`, and {@link StorageError} if the file manifest is damaged.
 */
export async function restoreDump(
  dump: HaltDump,
  folder: string,
  options: RestoreDumpOptions = {},
): Promise<RestoredDump> {
  const { head, files } = fileManifestOf(dump)
  const { signal, gitFilters: filters, gitTimeout: timeout = 120_000 } = options
  const root = await prepareFolder(folder, head, options.repository, { timeout, signal, filters })
  const findings: RestoreFinding[] = []
  const isDeleted = ({ status }: ManifestFile): boolean => status === 'deleted'
  // A file may be in the place of a folder whose files are gone.
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
  throw refused(`The dump ${haltId} holds no files to restore: ${why ?? 'it is not in the dump'}.`)
}

/** Writes or deletes a file; returns how it differs from what it was. */
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
    // The names of such files are not known.
    if (path.includes('[redacted:'))
      return finding('redacted', 'held a secret in its name: it is not restored')
    if (status === 'deleted') return void (await remove(root, path))
    if (part === undefined)
      return finding('not-stored', `is not in the dump: ${reason ?? 'only its name was known'}`)
    const bytes = parts.get(part)
    if (bytes === undefined) return finding('not-stored', `is not in the dump: it has no ${shownPath(part)}`)
    await write(await placeIn(root, path), bytes, mode)
    if ((redacted ?? 0) > 0) return finding('redacted', 'held secrets: the dump has marks in their place')
    if (sha256Of(bytes) !== sha256) return finding('differs', 'has different content than before')
    return undefined
  } catch (error) {
    return { code: 'refused', message: messageOf(error) }
  }
}

/** The place of a path below a folder. Throws if it leaves the folder, by its names or through a link along it. */
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

async function write(
  place: string,
  bytes: Uint8Array,
  mode: NonNullable<ManifestFile['mode']>,
): Promise<void> {
  await mkdir(dirname(place), { recursive: true })
  await rm(place, { force: true })
  if (mode === '120000') await symlink(Buffer.from(bytes), place)
  else await writeFile(place, bytes, { flag: 'wx', mode: mode === '100755' ? 0o755 : 0o644 })
}

/** Git keeps no empty folder: those above go too. */
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
