import { shownPath } from '../../git/shown-path.ts'
import { inParallel } from '../../storage/in-parallel.ts'
import { dumpPaths } from '../dump-keys.ts'
import type { DumpMetadata, FileManifest } from '../dump-schema.ts'
import { pathBytes, pathFault } from '../files/file-path.ts'
import { digestFile } from '../files/found-file.ts'
import { existsAt } from './write-restored.ts'

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

/** Compares a restored folder with the file manifest, file by file. */
export async function checkRestored(
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
  const listed = new Set(files.map(({ path }) => path))
  const finding = (code: RestoreFinding['code'], path: string, message: string): RestoreFinding => ({
    code,
    path,
    message: `${shownPath(path)} ${message}`,
  })
  const expected = [...files, ...snapshots.filter(({ path }) => !listed.has(path))]
  const found = await inParallel(expected, 16, async (entry): Promise<RestoreFinding | undefined> => {
    const { path, sha256, mode } = entry
    const bytes = pathBytes(entry)
    if (pathFault(bytes) !== undefined) return finding('refused', path, 'is not a path in the folder')
    const now = await digestFile(root, bytes)
    if (now !== undefined && now.sha256 === sha256 && now.mode === mode) return undefined
    if (marked.has(path) || path.includes('[redacted:'))
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
  for (const entry of deleted)
    if (await existsAt(root, pathBytes(entry)))
      findings.push(finding('not-deleted', entry.path, 'was deleted, but exists'))
  for (const { path, reason } of omitted)
    if (!stored.has(path)) findings.push(finding('not-stored', path, `is not in the dump: ${reason}`))
  return { equal, findings }
}
