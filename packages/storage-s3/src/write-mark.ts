import { hash, randomBytes } from 'node:crypto'

/**
 * Identifies an object's writers: the digest of its bytes, and the ids of the put that made it and of those that it
 * built upon by `ifMatch`, newest first. It reveals a put whose answer was lost, even after others have built upon it.
 */
export interface WriteMark {
  readonly sha256: string
  readonly writes: readonly string[]
}

// Keeps the metadata below S3's limit of 2 KB.
const maxWrites = 64
const writeId = /^[A-Za-z0-9_-]{12}$/
const digestName = 'tenfold-sha256'
const writesName = 'tenfold-writes'

/** The mark of a new put of `bytes`, which builds upon `before`. */
export function newMark(bytes: Uint8Array, before: readonly string[]): WriteMark {
  const id = randomBytes(9).toString('base64url')
  return { sha256: hash('sha256', bytes), writes: [id, ...before].slice(0, maxWrites) }
}

export function toMetadata(mark: WriteMark): Record<string, string> {
  return { [digestName]: mark.sha256, [writesName]: mark.writes.join('.') }
}

/** The mark in an object's metadata. Empty for objects that others put there. */
export function fromMetadata(metadata: Record<string, string> | undefined): Partial<WriteMark> {
  const sha256 = metadata?.[digestName]
  return {
    ...(sha256 !== undefined && /^[0-9a-f]{64}$/.test(sha256) && { sha256 }),
    writes: readWrites(metadata?.[writesName]),
  }
}

/** The etag for callers: the store's etag and the writes behind it. */
export function joinEtag(etag: string, writes: readonly string[]): string {
  return writes.length === 0 ? etag : `${etag}~${writes.join('.')}`
}

/** Splits a result of {@link joinEtag}. Any other text is the store's etag. */
export function splitEtag(joined: string): { readonly etag: string; readonly writes: readonly string[] } {
  const at = joined.lastIndexOf('~')
  const writes = at < 0 ? [] : readWrites(joined.slice(at + 1))
  return writes.length === 0 ? { etag: joined, writes } : { etag: joined.slice(0, at), writes }
}

function readWrites(text: string | undefined): readonly string[] {
  const writes = text === undefined ? [] : text.split('.', maxWrites)
  return writes.every((id) => writeId.test(id)) ? writes : []
}
