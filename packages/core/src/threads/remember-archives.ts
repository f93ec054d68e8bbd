import type { ArchivedLog } from '../store/archive/archive-log.ts'
import { readSums, storedSize } from '../store/archive/sums.ts'
import type { BundleStore } from '../store/bundle-store.ts'
import { archiveFileKey } from '../store/keys.ts'

/** Archives that this thread made, by request and digest of the log. */
const made = new Map<string, ArchivedLog>()
const mostRemembered = 1000

/**
 * A store that archives a log once: a file may hold hundreds of sessions, and its archive is the same for each of them.
 * `request` says where and how this thread archives. What is gone from the store is archived again.
 */
export function rememberArchives(store: BundleStore, request: string): BundleStore {
  return {
    ...store,
    async archive(log, source, options) {
      // The archive of a session from a database holds only that session.
      if (log.source !== undefined) return await store.archive(log, source, options)
      const key = `${request} ${source.sha256}`
      const known = made.get(key)
      if (known !== undefined && (await isStored(store, known))) return known
      const archived = await store.archive(log, source, options)
      if (made.size >= mostRemembered) made.clear()
      made.set(key, archived)
      return archived
    },
  }
}

async function isStored({ storage }: BundleStore, { key }: ArchivedLog): Promise<boolean> {
  const sums = await readSums(storage, key)
  if (sums?.files === undefined) return false
  for (const { sha256 } of sums.files)
    if ((await storedSize(storage, archiveFileKey(sha256))) === undefined) return false
  return true
}
