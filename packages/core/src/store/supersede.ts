import type { ContextBundle } from '../bundle/schema.ts'
import { TenfoldError } from '../errors.ts'
import type { Storage } from '../storage/storage.ts'
import { type ArchivedFile, readArchive } from './archive/read-archive.ts'
import { readSums } from './archive/sums.ts'
import type { BundleStore } from './bundle-store.ts'
import { type HistoryEntry, readableEntries } from './history.ts'
import { archiveFileKey, archiveKey, type LoggedSession, logCacheKey, logWordsKey } from './keys.ts'
import { moveBundle } from './prune/pruned.ts'

/**
 * Takes earlier bundles of the same session off the track, because the new bundle covers them: those of the same kind
 * and task, made while the session ran, from no more events. Like pruned ones, they can be loaded by id. An archived
 * log is deleted if the new bundle's log begins with it. Returns what went wrong, if anything; the next bundle of the
 * session completes it.
 */
export async function supersedeEarlier(
  bundle: ContextBundle,
  startedAt: string | undefined,
  store: BundleStore,
): Promise<string | undefined> {
  const { source, kind, task } = bundle
  if (startedAt === undefined) return undefined
  const range = { since: new Date(startedAt), until: new Date(bundle.createdAt) }
  try {
    const entries = await readableEntries(store.storage, { sessionId: source.sessionId, ...range })
    const others: HistoryEntry[] = []
    const earlier: HistoryEntry[] = []
    for (const entry of entries) {
      const isSame = entry.track === bundle.track && entry.kind === kind && entry.task === task
      const isPart =
        isSame && entry.format === source.format && isWithin((await store.load(entry.id)).source, source)
      ;(isPart ? earlier : others).push(entry)
    }
    const needed = new Set([source.sha256, ...others.map(({ sourceSha256 }) => sourceSha256)])
    for (const entry of earlier) {
      const fault = await moveBundle(store.storage, entry)
      if (fault !== undefined) return fault
      if (!needed.has(entry.sourceSha256))
        await dropArchive(store.storage, { ...entry, sha256: entry.sourceSha256 }, needed, source.sha256)
    }
    return undefined
  } catch (error) {
    if (!TenfoldError.isInstance(error)) throw error
    return `earlier bundles of the session were not taken off the track: ${error.message}`
  }
}

/** A small bundle may lack the time at which its session started. */
function isWithin(earlier: ContextBundle['source'], { startedAt, events }: ContextBundle['source']): boolean {
  const starts = [earlier.startedAt, startedAt].filter((time) => time !== undefined)
  return new Set(starts).size < 2 && earlier.events <= events
}

/** Deletes an archived log whose files are beginnings of those of another log. `needed` are logs that stay. */
async function dropArchive(
  storage: Storage,
  { sha256, sessionId }: LoggedSession,
  needed: ReadonlySet<string>,
  whole: string,
): Promise<void> {
  const key = archiveKey(sha256)
  if ((await storage.get(key)) === undefined || (await storage.get(archiveKey(whole))) === undefined) return
  const wholes = await filesOf(storage, whole)
  const kept = new Set<string>()
  for (const other of needed)
    for (const file of (await readSums(storage, archiveKey(other)))?.files ?? []) kept.add(file.sha256)
  const free = (await filesOf(storage, sha256)).filter((file) => !kept.has(file.sha256))
  for (const { name, blocks } of free) {
    const grown = wholes.find((file) => file.name === name)
    if (grown === undefined || !(await beginsWith(grown.blocks(), blocks()))) return
  }
  for (const file of free) await storage.delete(archiveFileKey(file.sha256))
  const session = { sha256, sessionId }
  for (const each of [key, logCacheKey(session), logWordsKey(session)]) await storage.delete(each)
}

async function filesOf(storage: Storage, sha256: string): Promise<ArchivedFile[]> {
  const files: ArchivedFile[] = []
  for await (const file of readArchive(storage, sha256)) files.push(file)
  return files
}

async function beginsWith(
  whole: AsyncIterable<Uint8Array>,
  part: AsyncIterable<Uint8Array>,
): Promise<boolean> {
  const rest = whole[Symbol.asyncIterator]()
  let held: Uint8Array = new Uint8Array()
  try {
    for await (const block of part) {
      for (let at = 0; at < block.length; ) {
        if (held.length === 0) {
          const next = await rest.next()
          if (next.done) return false
          held = next.value
          continue
        }
        const size = Math.min(held.length, block.length - at)
        if (Buffer.compare(held.subarray(0, size), block.subarray(at, at + size)) !== 0) return false
        held = held.subarray(size)
        at += size
      }
    }
    return true
  } finally {
    await rest.return?.()
  }
}
