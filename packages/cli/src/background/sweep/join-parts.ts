import { resolve, sep } from 'node:path'
import { findLogs, TenfoldError } from '@tenfold/core'
import type { SweepTarget } from './sweep-target.ts'

export interface JoinPartsOptions {
  readonly signal: AbortSignal
  /** Called for a folder that cannot be searched. */
  readonly onFault: (message: string) => void
}

/**
 * The targets without those that are read with another one, such as sessions that another session started; each
 * remaining target gets the digests of its parts. Only targets are opened: most logs of an agent were processed before.
 */
export async function joinParts(
  targets: readonly SweepTarget[],
  folders: readonly string[],
  { signal, onFault }: JoinPartsOptions,
): Promise<SweepTarget[]> {
  const byPath = new Map(targets.map((target) => [resolve(target.log), target]))
  const parts = new Map<string, string[]>()
  for (const folder of foldersOfSeveral([...byPath.keys()], folders)) {
    try {
      const { companions } = await findLogs(folder, { only: (path) => byPath.has(resolve(path)), signal })
      for (const { path, log } of companions) {
        const part = byPath.get(resolve(path))
        const main = resolve(log)
        if (part === undefined || !byPath.has(main)) continue
        byPath.delete(resolve(path))
        parts.set(main, [...(parts.get(main) ?? []), part.digest])
      }
    } catch (error) {
      if (!TenfoldError.isInstance(error)) throw error
      onFault(error.message)
    }
  }
  return [...byPath].map(([path, target]) => {
    const digests = parts.get(path)
    return digests === undefined ? target : { ...target, parts: digests }
  })
}

/** The folders that contain more than one of the paths; a path counts for its innermost folder. */
function foldersOfSeveral(paths: readonly string[], folders: readonly string[]): string[] {
  const innermost = folders.map((folder) => resolve(folder)).sort((a, b) => b.length - a.length)
  const homes = paths.map((path) => innermost.find((folder) => path.startsWith(`${folder}${sep}`)))
  return innermost.filter((folder) => homes.filter((home) => home === folder).length > 1)
}
