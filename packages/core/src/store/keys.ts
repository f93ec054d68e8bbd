import { createHash } from 'node:crypto'
import type { Storage } from '../storage/storage.ts'

// Keys of all objects in a store, except halt dumps.

export const bundleKey = (id: string): string => `bundles/${id}.json`
export const bundleMarkdownKey = (id: string): string => `bundles/${id}.md`

/** The entry that commits a bundle to a track; keys sort in the order of the track. */
export const historyKey = (track: string, id: string): string => `tracks/${track}/${id}.json`

/** A copy of a track's newest bundle, for people and programs that read the folder. */
export const latestKey = (track: string): string => `tracks/${track}/LATEST.json`
export const latestMarkdownKey = (track: string): string => `tracks/${track}/LATEST.md`

export const checkpointKey = (track: string, id: string): string => `checkpoints/${track}/${id}.json`
export const checkpointMarkdownKey = (track: string, id: string): string => `checkpoints/${track}/${id}.md`

/** A copy of the newest checkpoint of every track, for people and programs that read the folder. */
export const checkpointLatestKey = 'checkpoints/LATEST.json'
export const checkpointLatestMarkdownKey = 'checkpoints/LATEST.md'

/** List of an archived log's files, by `Session.source.sha256`, in lines of `sha256sum`. */
export const archiveKey = (sha256: string): string => `archive/${sha256}.sums`

/** The compressed bytes of one archived file, by the digest of its uncompressed bytes. */
export const archiveFileKey = (sha256: string): string => `archive/${sha256.slice(0, 2)}/${sha256}.br`

/** A session of an archived log. Several sessions may share the files. */
export interface LoggedSession {
  /** `Session.source.sha256`. */
  readonly sha256: string
  readonly sessionId: string
}

export const logCacheKey = (session: LoggedSession): string => `${sessionPrefix(session)}.recall`
export const logWordsKey = (session: LoggedSession): string => `${sessionPrefix(session)}.words`

function sessionPrefix({ sha256, sessionId }: LoggedSession): string {
  return `archive/${sha256}-${createHash('sha256').update(sessionId).digest('hex').slice(0, 8)}`
}

/** A copy of all bundle entries, which is made again if it is missing; Git ignores its folder. */
export const historyIndexKey = 'archive/history.index'

/** Returns the digest of the log that an index belongs to, or '' for the index of entries; undefined for other keys. */
export function indexedLog(key: string): string | undefined {
  if (key === historyIndexKey) return ''
  return /^archive\/([0-9a-f]{64})(?:-[0-9a-f]{8})?\.(?:recall|words)$/.exec(key)?.[1]
}

/** Prefix of the keys of objects that prune moved. */
export const prunedPrefix = 'pruned/'
export const prunedKey = (key: string): string => `${prunedPrefix}${key}`

/** Returns an object, even if prune moved it. */
export async function getKept(storage: Storage, key: string): ReturnType<Storage['get']> {
  return (await storage.get(key)) ?? (await storage.get(prunedKey(key)))
}

export const ledgerPrefix = 'done/'

/** Leases of work in progress. They belong to running processes, so they are never copied. */
export const leasePrefix = 'working/'
export const leaseKey = (digest: string): string => `${leasePrefix}${digest}.json`

export const workPrefix = (digest: string): string => `${ledgerPrefix}${digest}/`
export const doneKey = (digest: string, bundleId: string): string => `${workPrefix(digest)}${bundleId}.json`
export const startedKey = (digest: string, bundleId: string): string =>
  `${workPrefix(digest)}${bundleId}.started.json`

/** The bundle that claimed a digest, until it is entered. */
export const claimKey = (digest: string): string => `${workPrefix(digest)}claim`

/** Returns the bundle of a ledger key, and whether its save was only started; undefined for other keys. */
export function parseWorkKey(key: string) {
  const [, bundleId, started] = /^done\/[^/]+\/([^/.]+)(\.started)?\.json$/.exec(key) ?? []
  return bundleId === undefined ? undefined : { bundleId, started: started !== undefined }
}
