import { createHash } from 'node:crypto'

/** Digest of a whole log: for one file its own, for several that of their `sha256sum` lines, names unescaped. */
export function logDigest(files: readonly { readonly name: string; readonly sha256: string }[]): string {
  const [first] = files
  if (first !== undefined && files.length === 1) return first.sha256
  return createHash('sha256')
    .update(files.map(({ name, sha256 }) => `${sha256}  ${name}\n`).join(''))
    .digest('hex')
}
