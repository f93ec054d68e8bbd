/** Where the list of files of an archived log lies, by `Session.source.sha256`: lines as `sha256sum` prints them. */
export function archiveKey(sha256: string): string {
  return `archive/${sha256}.sums`
}

/** Where the compressed bytes of one archived file lie, by the digest of the bytes themselves. */
export function archiveFileKey(sha256: string): string {
  return `archive/${sha256.slice(0, 2)}/${sha256}.br`
}
