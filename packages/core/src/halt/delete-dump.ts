import type { Storage } from '../storage/storage.ts'
import { type DumpPlace, dumpKey, dumpPaths, dumpsPrefix, isHaltId } from './dump-keys.ts'
import type { DumpManifest } from './dump-schema.ts'
import { haltIds, loadDump, partKey, readManifest, readMetadata } from './read-dump.ts'

/** Result of a deletion. */
export interface DeletedDump {
  readonly deleted: readonly string[]
  /** Keys of parts that remain, because a later dump names them; they go with the last dump that does. */
  readonly kept: readonly string[]
}

/**
 * Deletes a dump, except the parts that another one names, which remains complete. May run while dumps are written.
 * Throws {@link TenfoldError} `no-dump` if there is none, and {@link StorageError}.
 */
export async function deleteDump(
  storage: Storage,
  haltId: string,
  place: DumpPlace = {},
): Promise<DeletedDump> {
  const { manifest } = await loadDump(storage, haltId, place)
  // First: from now on no new dump takes this one as its base, and one that already did has said so in its metadata.
  const heads = [dumpKey(place, haltId, dumpPaths.manifest), dumpKey(place, haltId, dumpPaths.metadata)]
  for (const key of heads) await storage.delete(key)
  const needed = await neededKeys(storage, place, { haltId, manifest })
  const deleted = [...heads]
  const kept: string[] = []
  for (const key of await ownKeys(storage, haltId, manifest, place)) {
    if (needed(key)) kept.push(key)
    else {
      await storage.delete(key)
      deleted.push(key)
    }
  }
  return { deleted, kept }
}

/** Keys below the dump, and those of earlier deleted dumps whose parts it named. */
async function ownKeys(
  storage: Storage,
  haltId: string,
  manifest: DumpManifest | undefined,
  place: DumpPlace,
): Promise<Set<string>> {
  const keys = new Set<string>()
  for await (const { key } of storage.list(dumpKey(place, haltId, ''))) keys.add(key)
  const alive = new Set(await haltIds(storage, place))
  for (const part of manifest?.parts ?? []) {
    const holder = part.stored?.split('/')[0] ?? haltId
    if (!alive.has(holder)) keys.add(partKey(haltId, part, place))
  }
  return keys
}

/**
 * The keys that other dumps need. A dump that is being written, or cannot be read, needs everything that its base has.
 */
async function neededKeys(
  storage: Storage,
  place: DumpPlace,
  gone: { readonly haltId: string; readonly manifest: DumpManifest | undefined },
): Promise<(key: string) => boolean> {
  const keys = new Set<string>()
  let everything = false
  for (const id of await haltIds(storage, place)) {
    if (id === gone.haltId) continue
    const manifest = await readManifest(storage, id, place)
    if (manifest instanceof Error) everything = true
    else if (manifest !== undefined) for (const part of manifest.parts) keys.add(partKey(id, part, place))
    else {
      const metadata = await readMetadata(storage, id, place)
      everything ||= metadata instanceof Error || metadata?.base === gone.haltId
    }
  }
  const prefix = dumpsPrefix(place)
  const isPart = (key: string): boolean => isHaltId(key.slice(prefix.length).split('/')[0] ?? '')
  return (key) => keys.has(key) || (everything && isPart(key))
}
