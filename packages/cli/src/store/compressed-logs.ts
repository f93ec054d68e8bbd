import { bundleStore } from '@tenfold/core'
import { digestLog } from '@tenfold/core/internal'
import { openLog } from '@tenfold/core/readers'
import { fileStorage } from '@tenfold/storage-fs'
import { openDigests } from '../state/digest-logs.ts'
import { openSeen } from '../state/seen-logs.ts'
import { unlessFaulty } from '../terminal/thrown.ts'

/**
 * Returns a function that tells whether a log's present content has a bundle; false for unreadable logs, whose faults
 * are reported when they are compressed. `sources` are the digests of the logs that a store's bundles were made from.
 */
export function compressedIn(sources: ReadonlySet<string>) {
  const digests = openDigests()
  const seen = openSeen()
  const isCompressed = async (path: string, known?: string): Promise<boolean> => {
    // A bundle has the digest of all its session's files, but hooks record only the log's.
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
