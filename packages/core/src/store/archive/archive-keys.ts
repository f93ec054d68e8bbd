import { createHash } from 'node:crypto'

/** Returns the key of an archived log's list of files, by `Session.source.sha256`: lines as `sha256sum` prints them. */
export function archiveKey(sha256: string): string {
  return `archive/${sha256}.sums`
}

/** Returns the key of the compressed bytes of one archived file, by the digest of its uncompressed bytes. */
export function archiveFileKey(sha256: string): string {
  return `archive/${sha256.slice(0, 2)}/${sha256}.br`
}

/** A session of an archived log: several may have the files in common. */
export interface LoggedSession {
  /** `Session.source.sha256`. */
  readonly sha256: string
  readonly sessionId: string
}

export function logCacheKey(session: LoggedSession): string {
  return `${sessionPrefix(session)}.recall`
}

export function logWordsKey(session: LoggedSession): string {
  return `${sessionPrefix(session)}.words`
}

function sessionPrefix({ sha256, sessionId }: LoggedSession): string {
  return `archive/${sha256}-${createHash('sha256').update(sessionId).digest('hex').slice(0, 8)}`
}

/** The key of a copy of all entries of bundles, which is made again if it is missing; Git ignores its folder. */
export const historyIndexKey = 'archive/history.index'

/** The log that an index is of, empty for that of all entries; undefined for other keys. */
export function indexedLog(key: string): string | undefined {
  if (key === historyIndexKey) return ''
  return /^archive\/([0-9a-f]{64})(?:-[0-9a-f]{8})?\.(?:recall|words)$/.exec(key)?.[1]
}

/** Whether a key is that of an index, which no one needs to copy. */
export function isIndexKey(key: string): boolean {
  return indexedLog(key) !== undefined
}
