import { StorageError } from '../errors.ts'
import { inParallel } from '../storage/in-parallel.ts'
import type { Storage } from '../storage/storage.ts'
import { type DumpPlace, dumpKey, dumpPaths } from './dump-keys.ts'
import { loadDump, readManifest, readMetadata, readPart } from './read-dump.ts'

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
    key: string,
    message: string,
  ): void => {
    findings.push({ level, code, key, message })
  }
  await checkHeads(storage, haltId, place, add)
  let parts = 0
  let bytes = 0
  await inParallel(manifest?.parts ?? [], 4, async (part) => {
    const key = dumpKey(place, haltId, part.path)
    try {
      await readPart(storage, haltId, part, place)
      parts += 1
      bytes += part.size
    } catch (error) {
      if (!(error instanceof StorageError)) throw error
      add('fault', (await isThere(storage, key)) ? 'part-damaged' : 'part-missing', key, error.message)
    }
  })
  for (const { path, code, reason } of manifest?.missing ?? [])
    if (code === 'failed' || code === 'too-large')
      add('warning', 'not-dumped', dumpKey(place, haltId, path), `${path} was not dumped: ${reason}`)
  if (manifest !== undefined) await addExtras(storage, haltId, manifest.parts, place, add)
  return {
    haltId,
    ok: findings.every(({ level }) => level === 'warning'),
    state,
    parts,
    bytes,
    findings: findings.sort((a, b) => (`${a.level} ${a.key}` < `${b.level} ${b.key}` ? -1 : 1)),
  }
}

type Add = (level: DumpFinding['level'], code: DumpFinding['code'], key: string, message: string) => void

async function checkHeads(storage: Storage, haltId: string, place: DumpPlace, add: Add): Promise<void> {
  const manifestKey = dumpKey(place, haltId, dumpPaths.manifest)
  const manifest = await readManifest(storage, haltId, place)
  if (manifest instanceof Error) add('fault', 'manifest-damaged', manifestKey, manifest.message)
  if (manifest === undefined)
    add(
      'fault',
      'manifest-missing',
      manifestKey,
      `${manifestKey} is missing: the dump was cut off, or is being written; if nobody writes it, delete it`,
    )
  const metadata = await readMetadata(storage, haltId, place)
  if (metadata instanceof Error)
    add('fault', 'metadata-damaged', dumpKey(place, haltId, dumpPaths.metadata), metadata.message)
}

async function addExtras(
  storage: Storage,
  haltId: string,
  parts: readonly { readonly path: string }[],
  place: DumpPlace,
  add: Add,
): Promise<void> {
  const own = new Set(parts.map(({ path }) => path))
  const prefix = dumpKey(place, haltId, '')
  for await (const { key } of storage.list(prefix)) {
    const path = key.slice(prefix.length)
    if (path !== dumpPaths.manifest && !own.has(path))
      add('warning', 'extra', key, `${key} is in no manifest: it is not part of the dump`)
  }
}

async function isThere(storage: Storage, key: string): Promise<boolean> {
  return (await storage.get(key)) !== undefined
}
