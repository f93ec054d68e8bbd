import { inParallel } from '../storage/in-parallel.ts'
import type { Storage } from '../storage/storage.ts'

const parallelReads = 32

/**
 * Returns the digests (64 hex digits) anywhere in the JSON of the given keys: objects other than bundles, such as batch
 * jobs, can refer to archived logs too.
 */
export async function readMentions(storage: Storage, keys: readonly string[]): Promise<Set<string>> {
  const found = new Set<string>()
  const json = keys.filter((key) => key.endsWith('.json'))
  await inParallel(json, parallelReads, async (key) => {
    const stored = await storage.get(key)
    const text = stored === undefined ? '' : Buffer.from(stored.bytes).toString('latin1')
    for (const [digest] of text.matchAll(/\b[0-9a-f]{64}\b/g)) found.add(digest)
  })
  return found
}
