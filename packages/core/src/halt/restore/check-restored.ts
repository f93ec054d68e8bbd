import { shownPath } from '../../git/shown-path.ts'
import { inParallel } from '../../storage/in-parallel.ts'
import { digestFile } from '../collect/file-digests.ts'
import { dumpPaths } from '../dump-keys.ts'
import type { DumpMetadata, FileManifest } from '../dump-schema.ts'
import { pathBytes, pathFault } from '../file-path.ts'
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
  readonly path: string
  readonly message: string
}

/** Compares a restored folder with the file manifest, file by file. */
export async function checkRestored(
  root: string,
  files: FileManifest,
  { patch, missing = [] }: Partial<DumpMetadata>,
): Promise<{ readonly equal: number; readonly findings: readonly RestoreFinding[] }> {
  const marked = new Set([
    ...(patch?.redactedFiles ?? []).map(({ path }) => path),
    ...files.snapshots.filter(({ redacted = 0 }) => redacted > 0).map(({ path }) => path),
  ])
  const noPatch = missing.some(({ path }) => path === dumpPaths.patch)
  const stored = new Set(files.snapshots.map(({ path }) => path))
  const listed = new Set(files.files.map(({ path }) => path))
  const expected = [...files.files, ...files.snapshots.filter(({ path }) => !listed.has(path))]
  let equal = 0
  const found = await inParallel(expected, 16, async (entry): Promise<RestoreFinding | undefined> => {
    const { path, sha256, mode } = entry
    const bytes = pathBytes(entry)
    const shown = shownPath(path)
    const finding = (code: RestoreFinding['code'], message: string) => ({
      code,
      path,
      message: `${shown} ${message}`,
    })
    if (pathFault(bytes) !== undefined) return finding('refused', 'is not a path in the folder')
    const now = await digestFile(root, bytes)
    if (now !== undefined && now.sha256 === sha256 && now.mode === mode) {
      equal += 1
      return undefined
    }
    if (marked.has(path) || path.includes('[redacted:'))
      return finding('redacted', 'held secrets: the dump has marks in their place')
    // Without a patch only what was stored whole can exist.
    if (now === undefined && noPatch && !stored.has(path)) return finding('not-stored', 'is not in the dump')
    if (now === undefined) return finding('missing', 'is missing')
    if (sha256 === undefined)
      return finding('not-stored', 'has no digest in the dump, so it cannot be compared')
    if (now.sha256 !== sha256) return finding('differs', 'has different content than before')
    return finding('mode', `has mode ${now.mode}, it had ${mode}`)
  })
  const findings = found.filter((finding) => finding !== undefined)
  for (const entry of files.deleted) {
    if (!(await existsAt(root, pathBytes(entry)))) continue
    findings.push({
      code: 'not-deleted',
      path: entry.path,
      message: `${shownPath(entry.path)} was deleted, but exists`,
    })
  }
  for (const { path, reason } of files.omitted)
    if (!stored.has(path))
      findings.push({ code: 'not-stored', path, message: `${shownPath(path)} is not in the dump: ${reason}` })
  return { equal, findings }
}
