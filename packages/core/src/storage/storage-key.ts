import { StorageError } from '../errors.ts'

const segment = /^[A-Za-z0-9._-]{1,128}$/
// https://learn.microsoft.com/windows/win32/fileio/naming-a-file: reserved with any extension, in any case.
const reserved = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)/i
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/object-keys.html
const maxLength = 1024

/** Returns what is wrong with a storage key; undefined for a valid key, which is safe as a relative path on any system. */
export function storageKeyFault(key: string): string | undefined {
  if (typeof key !== 'string') return `expected a string, got ${typeof key}`
  if (key === '') return 'it is empty'
  if (key.length > maxLength) return `it is longer than ${maxLength} characters`
  for (const part of key.split('/')) {
    const fault = segmentFault(part)
    if (fault !== undefined) return fault
  }
  return undefined
}

/**
 * Throws {@link StorageError} unless the key is `/`-joined segments of `[A-Za-z0-9._-]{1,128}` that no system
 * interprets: no leading dot or dash, no trailing dot, no name that Windows reserves.
 */
export function assertStorageKey(key: string): void {
  const fault = storageKeyFault(key)
  if (fault === undefined) return
  const shown = typeof key === 'string' ? key : String(key)
  throw new StorageError(shown, `bad storage key ${JSON.stringify(shown.slice(0, 200))}: ${fault}`)
}

function segmentFault(part: string): string | undefined {
  const shown = JSON.stringify(part.slice(0, 60))
  if (part === '') return 'it has an empty segment (a leading, trailing or double "/")'
  if (part.length > 128) return `segment ${shown}… is longer than 128 characters`
  if (!segment.test(part)) return `segment ${shown} holds characters other than A-Z a-z 0-9 . _ -`
  if (part.startsWith('.') || part.startsWith('-')) return `segment ${shown} begins with "${part[0]}"`
  if (part.endsWith('.')) return `segment ${shown} ends with "."`
  if (reserved.test(part)) return `segment ${shown} is a name that Windows reserves`
  return undefined
}
