import { TenfoldError } from '../errors.ts'
import { appendTo } from '../session/append-to.ts'
import { decodeJson } from '../storage/stored-json.ts'
import { dumpPaths } from './dump-keys.ts'
import { type FileManifest, fileManifestSchema } from './dump-schema.ts'
import type { HaltDump } from './read-dump.ts'

/** Returns the file manifest of a dump, undefined if it has none. Throws {@link StorageError} if it is damaged. */
export async function readFileManifest(dump: HaltDump): Promise<FileManifest | undefined> {
  const bytes = await dump.read(dumpPaths.files)
  return bytes && decodeJson(`${dump.haltId}/${dumpPaths.files}`, bytes, fileManifestSchema)
}

/**
 * Returns the content of a file of the sandbox that is stored whole, or of a part; undefined if the dump has neither.
 * Throws {@link StorageError} if it is damaged.
 */
export async function readDumpedFile(dump: HaltDump, path: string): Promise<Uint8Array | undefined> {
  const inside = `${dumpPaths.snapshots}/`
  const name = path.startsWith(inside) ? path.slice(inside.length) : path
  const snapshot = (await readFileManifest(dump))?.snapshots.find((entry) => entry.path === name)
  return await dump.read(snapshot?.part ?? path)
}

/** Returns the paths of the files that are stored whole, by the part that holds them. Empty without a file manifest. */
export async function snapshotPaths(dump: HaltDump): Promise<ReadonlyMap<string, readonly string[]>> {
  const paths = new Map<string, string[]>()
  try {
    for (const { part, path } of (await readFileManifest(dump))?.snapshots ?? []) appendTo(paths, part, path)
  } catch (error) {
    // A damaged manifest costs only the names; verifyDump reports it.
    if (!TenfoldError.isInstance(error)) throw error
  }
  return paths
}
