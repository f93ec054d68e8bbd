/** Returns the key of an archived log's list of files, by `Session.source.sha256`: lines as `sha256sum` prints them. */
export function archiveKey(sha256: string): string {
  return `archive/${sha256}.sums`
}

/** Returns the key of the compressed bytes of one archived file, by the digest of its uncompressed bytes. */
export function archiveFileKey(sha256: string): string {
  return `archive/${sha256.slice(0, 2)}/${sha256}.br`
}

/** Returns the key of the cached search index of an archived log, which is made again if it is missing. */
export function archiveIndexKey(sha256: string): string {
  return `archive/${sha256}.recall`
}

/** The key of a copy of all entries of bundles, which is made again if it is missing; Git ignores its folder. */
export const historyIndexKey = 'archive/history.index'

/** Whether a key is that of an index, which no one needs to copy. */
export function isIndexKey(key: string): boolean {
  return key === historyIndexKey || /^archive\/[0-9a-f]{64}\.recall$/.test(key)
}
