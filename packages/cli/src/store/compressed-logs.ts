import { bundleStore } from '@tenfold/core'
import { digestLog } from '@tenfold/core/internal'
import { openLog } from '@tenfold/core/readers'
import { fileStorage } from '@tenfold/storage-fs'
import { openDigests } from '../state/digest-logs.ts'
import { openSeen } from '../state/seen-logs.ts'
import { unlessFaulty } from '../terminal/thrown.ts'

/**
 * Returns whether a log has a bundle of what it holds now. Compressing one that cannot be read says what is wrong with it.
 * `sources` are those of the logs that the bundles of a store were made from.
 */
export function compressedIn(sources: ReadonlySet<string>) {
  const digests = openDigests()
  const seen = openSeen()
  const isCompressed = async (path: string, known?: string): Promise<boolean> => {
    // A bundle names the digest of all files of its session, the hooks remember that of the log alone.
    const digest = known ?? (await digests.digest(path))
    if (sources.has(digest) || seen.get(digest)?.bundle !== undefined) return true
    return sources.has(await digestLog(await openLog(path)))
  }
  return async (path: string, known?: string) => await unlessFaulty(isCompressed(path, known), false)
}

export async function digestsIn(folder: string): Promise<ReadonlySet<string>> {
  const { list } = bundleStore(fileStorage(folder), { onDamaged: () => undefined })
  return new Set((await list()).map(({ sourceSha256 }) => sourceSha256))
}
