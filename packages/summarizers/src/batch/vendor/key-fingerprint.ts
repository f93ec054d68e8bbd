import { createHash } from 'node:crypto'

/** First 12 hex digits of the SHA-256 of a key: distinguishes keys without revealing them. */
export function keyFingerprint(key: string | null | undefined): { readonly keyFingerprint?: string } {
  if (typeof key !== 'string' || key === '') return {}
  return { keyFingerprint: createHash('sha256').update(key).digest('hex').slice(0, 12) }
}
