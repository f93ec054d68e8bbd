import { isAbsolute, resolve } from 'node:path'
import type { ContextBundle } from '../bundle/schema.ts'
import { checkpointClaim } from '../checkpoint/check-checkpoint.ts'
import type { Checkpoint } from '../checkpoint/schema.ts'
import type { LiveFinding } from '../git/compare-git.ts'
import { type ClaimedFile, type LiveCheck, type LiveCheckOptions, liveCheck } from '../git/live-check.ts'
import { type GitReading, isWithin, readGit, realPath } from '../git/read-git.ts'
import type { HaltDump } from '../halt/stored-dumps.ts'

export interface Claims {
  readonly bundle?: ContextBundle | undefined
  readonly checkpoint?: Checkpoint | undefined
  /** Overrides the bundle's claim about the repository unless the checkpoint is newer. */
  readonly dump?: HaltDump | undefined
}

export interface PlacedFile extends ClaimedFile {
  readonly place: string
}

/**
 * Compares the claims of a bundle and a newer checkpoint with a folder and its repository as they are now. If the
 * folder is not the session's repository, it reports only that.
 */
export async function checkClaims(
  { bundle, checkpoint, dump }: Claims,
  folder: string,
  options: LiveCheckOptions = {},
): Promise<LiveCheck> {
  const cwd = realPath(resolve(folder))
  const git = options.git ?? (await readGit(cwd, options))
  const seen = bundle && {
    ...bundle,
    files: bundle.files.filter(({ path, status }) => status !== 'named' && !path.endsWith('/')),
  }
  const files = await placedFiles({ bundle: seen, checkpoint }, cwd, git)
  const halted = dump !== undefined && (checkpoint === undefined || checkpoint.id < dump.haltId)
  const then = halted
    ? dump.metadata?.git
    : checkpoint === undefined
      ? bundle?.git
      : checkpointClaim(checkpoint).git
  const live = await liveCheck({ git: then, files }, cwd, { ...options, git })
  const ofSession = bundle !== undefined && checkpoint === undefined && !halted
  return ofSession && isElsewhere(bundle, live, files.length, cwd)
    ? { ...live, findings: [{ code: 'other-repository', message: otherRepository }] }
    : live
}

const otherRepository = "this folder is not the session's repository: nothing was compared"

/**
 * Whether a comparison was with a repository other than the session's: at another place, without its head, and without
 * most of its files.
 */
function isElsewhere(
  { source, git: then }: ContextBundle,
  { findings, git }: LiveCheck,
  files: number,
  cwd: string,
): boolean {
  const root = (git.state === 'repository' && git.root) || cwd
  const own = folderOf(source)
  if (own !== undefined && (isWithin(root, own) || isWithin(own, cwd))) return false
  const has = (code: LiveFinding['code']) => findings.some((finding) => finding.code === code)
  const gone = findings.filter(({ code }) => code === 'file-gone').length
  if (then.head !== undefined && git.state === 'repository' && !has('head-unknown')) return false
  return findings.length > 0 && gone >= files / 2
}

/**
 * Returns the files that a bundle and a newer checkpoint name, each once, except deleted ones and those outside the
 * folder and its repository. The newer claim counts, under the name in the bundle.
 */
export async function placedFiles(
  { bundle, checkpoint }: Claims,
  cwd: string,
  git: GitReading,
): Promise<PlacedFile[]> {
  const root = (git.state === 'repository' && git.root) || cwd
  const files = new Map<string, PlacedFile>()
  for (const file of bundle === undefined ? [] : await bundleFiles(bundle, cwd, git))
    files.set(file.place, file)
  for (const file of (checkpoint && checkpointClaim(checkpoint).files) ?? []) {
    const place = resolve(root, file.path)
    files.set(place, { ...file, path: files.get(place)?.path ?? file.path, place })
  }
  return [...files.values()]
}

async function bundleFiles(
  { files, git: then, source, createdAt }: ContextBundle,
  cwd: string,
  now: GitReading,
): Promise<PlacedFile[]> {
  const root = (now.state === 'repository' && now.root) || cwd
  const own = folderOf(source)
  // The session may have run in a subfolder of the repository; a folder elsewhere was another copy of it.
  const base = own !== undefined && (isWithin(root, own) || isWithin(own, cwd)) ? own : root
  const claim = { head: then.head, at: source.endedAt ?? createdAt }
  return files
    .filter((file) => file.status !== 'deleted' && !/^~|^[A-Za-z]:[\\/]/.test(file.path))
    .map((file) => ({ path: file.path, place: resolve(base, file.path), ...claim }))
    .filter((file) => isWithin(root, file.place) || isWithin(base, file.place))
}

/** Returns the folder of a session; undefined for one of another system, such as `C:\app` on Linux. */
function folderOf({ cwd }: ContextBundle['source']): string | undefined {
  return cwd === undefined || !isAbsolute(cwd) ? undefined : realPath(resolve(cwd))
}
