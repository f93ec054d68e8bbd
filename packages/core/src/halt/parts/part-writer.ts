import { messageOf } from '../../errors.ts'
import { inParallel } from '../../storage/in-parallel.ts'
import type { Storage } from '../../storage/storage.ts'
import { sha256Of } from '../collect/file-digests.ts'
import { type DumpPlace, dumpKey } from '../dump-keys.ts'
import type { DumpPart, MissingPart } from '../dump-schema.ts'
import type { MadePart } from './make-parts.ts'

/** The parts of a dump for its manifest, and those that could not be stored. */
export interface WrittenParts {
  readonly parts: readonly DumpPart[]
  readonly missing: readonly MissingPart[]
}

const parallelPuts = 4

/** Stores parts. A failed put costs only that part. Throws only if `signal` is aborted. */
export async function writeParts(
  storage: Storage,
  { haltId, place }: { readonly haltId: string; readonly place: DumpPlace },
  made: readonly MadePart[],
  signal: AbortSignal | undefined,
): Promise<WrittenParts> {
  const missing: MissingPart[] = []
  const written = await inParallel(made, parallelPuts, async ({ path, bytes, redacted }) => {
    signal?.throwIfAborted()
    try {
      await storage.put(dumpKey(place, haltId, path), bytes)
    } catch (error) {
      signal?.throwIfAborted()
      missing.push({ path, code: 'failed', reason: messageOf(error) })
      return undefined
    }
    return { path, size: bytes.byteLength, sha256: sha256Of(bytes), ...(redacted > 0 && { redacted }) }
  })
  return { parts: written.filter((part) => part !== undefined), missing }
}
