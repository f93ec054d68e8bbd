import { putIfAbsent } from '../../storage/put-if-absent.ts'
import type { Storage } from '../../storage/storage.ts'
import { decodeOrFault } from '../../storage/stored-json.ts'
import { archivedFileFault } from '../archive/read-archive.ts'
import { decodePruned } from '../prune/pruned-history.ts'
import { prunedPrefix } from '../pruned-keys.ts'

/** Result for one object: bytes written, present already, other content in the target, or gone from the source. */
export type Copied = { readonly bytes: number } | 'existing' | 'conflict' | 'gone'

/**
 * Copies one object unless the target has its content already; overwrites nothing. The name of an archived file is the
 * digest of its uncompressed content: an object of the same size is not read.
 */
export async function copyObject(
  from: Storage,
  to: Storage,
  { key, size }: { readonly key: string; readonly size: number },
  sizeThere: number | undefined,
): Promise<Copied> {
  const digest = /(?:^|\/)archive\/[0-9a-f]{2}\/([0-9a-f]{64})\.br$/.exec(key)?.[1]
  if (digest !== undefined && sizeThere === size) return 'existing'
  const stored = await from.get(key)
  if (stored === undefined) return 'gone'
  const { bytes } = stored
  if (sizeThere === undefined && (await putIfAbsent(to, key, bytes))) return { bytes: bytes.byteLength }
  const existing = await to.get(key)
  if (existing !== undefined && Buffer.compare(existing.bytes, bytes) === 0) return 'existing'
  if (existing === undefined) return 'conflict'
  if (areOfSameBundle(key, existing.bytes, bytes)) return 'existing'
  // Another version may have packed the same file differently.
  const same = digest !== undefined && (await archivedFileFault(key, existing.bytes, digest)) === undefined
  return same ? 'existing' : 'conflict'
}

/** Whether two entries below `pruned/` are about one bundle, of which one store kept more than the other. */
function areOfSameBundle(key: string, a: Uint8Array, b: Uint8Array): boolean {
  if (!key.startsWith(`${prunedPrefix}tracks/`)) return false
  const [one, other] = [a, b].map((bytes) => decodeOrFault(() => decodePruned(key, bytes)))
  if (one === undefined || other === undefined || one instanceof Error || other instanceof Error) return false
  return one.id === other.id && one.track === other.track
}
