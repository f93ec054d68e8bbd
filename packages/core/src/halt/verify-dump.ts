import { StorageError } from '../errors.ts'
import { inParallel } from '../storage/in-parallel.ts'
import type { Storage } from '../storage/storage.ts'
import { type DumpPlace, dumpKey, dumpPaths } from './dump-keys.ts'
import { loadDump, readHeads, readPart } from './read-dump.ts'

/** Something wrong in a dump. A fault means that something is lost or cannot be trusted. */
export interface DumpFinding {
  readonly level: 'fault' | 'warning'
  readonly code:
    | 'manifest-missing'
    | 'manifest-damaged'
    | 'metadata-damaged'
    | 'part-missing'
    | 'part-damaged'
    | 'not-dumped'
    | 'extra'
  readonly key: string
  readonly message: string
}

/** Result of checking a dump. */
export interface DumpReport {
  readonly haltId: string
  readonly ok: boolean
  readonly state: 'complete' | 'partial' | 'incomplete'
  /** Number of intact parts, and their bytes. */
  readonly parts: number
  readonly bytes: number
  readonly findings: readonly DumpFinding[]
}

/**
 * Checks that a dump is complete and that each part matches the manifest. Parts that were not dumped, or that no manifest names, are warnings. Throws {@link TenfoldError} `no-dump`, and
 * {@link StorageError} if the storage fails.
 */
export async function verifyDump(
  storage: Storage,
  haltId: string,
  place: DumpPlace = {},
): Promise<DumpReport> {
  const { manifest, state } = await loadDump(storage, haltId, place)
  const findings: DumpFinding[] = []
  const add = (
    level: DumpFinding['level'],
    code: DumpFinding['code'],
    path: string,
    message: string,
  ): void => {
    findings.push({ level, code, key: dumpKey(place, haltId, path), message })
  }
  const { faults } = await readHeads(storage, haltId, place)
  for (const { path, message } of faults)
    add('fault', path === dumpPaths.manifest ? 'manifest-damaged' : 'metadata-damaged', path, message)
  if (manifest === undefined && faults.every(({ path }) => path !== dumpPaths.manifest))
    add(
      'fault',
      'manifest-missing',
      dumpPaths.manifest,
      `${dumpKey(place, haltId, dumpPaths.manifest)} is missing: the dump was cut off, or is being written; if nobody writes it, delete it`,
    )
  let parts = 0
  let bytes = 0
  await inParallel(manifest?.parts ?? [], 4, async (part) => {
    try {
      await readPart(storage, haltId, part, place)
      parts += 1
      bytes += part.size
    } catch (error) {
      if (!(error instanceof StorageError)) throw error
      const isThere = (await storage.get(dumpKey(place, haltId, part.path))) !== undefined
      add('fault', isThere ? 'part-damaged' : 'part-missing', part.path, error.message)
    }
  })
  for (const { path, code, reason } of manifest?.missing ?? [])
    if (code === 'failed' || code === 'too-large')
      add('warning', 'not-dumped', path, `${path} was not dumped: ${reason}`)
  if (manifest !== undefined) {
    const own = new Set<string>([dumpPaths.manifest, ...manifest.parts.map(({ path }) => path)])
    const prefix = dumpKey(place, haltId, '')
    for await (const { key } of storage.list(prefix)) {
      const path = key.slice(prefix.length)
      if (!own.has(path))
        add('warning', 'extra', path, `${key} is in no manifest: it is not part of the dump`)
    }
  }
  return {
    haltId,
    ok: findings.every(({ level }) => level === 'warning'),
    state,
    parts,
    bytes,
    findings: findings.sort((a, b) => (`${a.level} ${a.key}` < `${b.level} ${b.key}` ? -1 : 1)),
  }
}
