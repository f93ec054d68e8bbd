import { messageOf } from '../../errors.ts'
import { inParallel } from '../../storage/in-parallel.ts'
import type { Storage } from '../../storage/storage.ts'
import { sha256Of } from '../collect/file-digests.ts'
import { type DumpPlace, dumpKey } from '../dump-keys.ts'
import type { DumpManifest, DumpPart, MissingPart } from '../dump-schema.ts'
import { readPart } from '../read-dump.ts'
import type { MadePart } from './make-parts.ts'

/** The parts of a dump for its manifest, those that could not be stored, and what was written for them. */
export interface WrittenParts {
  readonly parts: readonly DumpPart[]
  readonly missing: readonly MissingPart[]
  readonly storedBytes: number
  readonly reusedBytes: number
}

const parallelPuts = 4

/**
 * Stores parts; one that is already intact in the base is named instead. A failed put costs only that part. Throws only
 * if `signal` is aborted.
 */
export async function writeParts(
  storage: Storage,
  target: { readonly haltId: string; readonly place: DumpPlace; readonly base?: DumpManifest | undefined },
  made: readonly MadePart[],
  signal: AbortSignal | undefined,
): Promise<WrittenParts> {
  const { haltId, place, base } = target
  const held = new Map(base?.parts.map((part) => [part.sha256, part]))
  const missing: MissingPart[] = []
  let storedBytes = 0
  let reusedBytes = 0
  const written = await inParallel(made, parallelPuts, async ({ path, bytes, redacted }) => {
    signal?.throwIfAborted()
    const part = {
      path,
      size: bytes.byteLength,
      sha256: sha256Of(bytes),
      ...(redacted > 0 && { redacted }),
    }
    const earlier = held.get(part.sha256)
    if (
      base !== undefined &&
      earlier !== undefined &&
      (await isWhole(storage, base.haltId, earlier, place))
    ) {
      reusedBytes += part.size
      return { ...part, stored: earlier.stored ?? `${base.haltId}/${earlier.path}` }
    }
    try {
      await storage.put(dumpKey(place, haltId, path), bytes)
    } catch (error) {
      signal?.throwIfAborted()
      missing.push({ path, code: 'failed', reason: messageOf(error) })
      return undefined
    }
    storedBytes += part.size
    return part
  })
  return { parts: written.filter((part) => part !== undefined), missing, storedBytes, reusedBytes }
}

async function isWhole(storage: Storage, haltId: string, part: DumpPart, place: DumpPlace): Promise<boolean> {
  try {
    await readPart(storage, haltId, part, place)
    return true
  } catch {
    // Missing, damaged or unreadable: the part is stored again.
    return false
  }
}
