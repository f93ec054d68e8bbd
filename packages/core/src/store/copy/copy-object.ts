import { putIfAbsent } from '../../storage/put-if-absent.ts'
import type { Storage } from '../../storage/storage.ts'
import { archivedDigest, holdsSame } from '../prune/move-object.ts'

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
  if (archivedDigest(key) !== undefined && sizeThere === size) return 'existing'
  const stored = await from.get(key)
  if (stored === undefined) return 'gone'
  const { bytes } = stored
  if (sizeThere === undefined && (await putIfAbsent(to, key, bytes))) return { bytes: bytes.byteLength }
  const existing = await to.get(key)
  return existing && (await holdsSame(key, existing.bytes, bytes)) ? 'existing' : 'conflict'
}
