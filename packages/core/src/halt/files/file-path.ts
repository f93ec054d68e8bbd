import { isUtf8 } from 'node:buffer'
import { sep } from 'node:path'

/** A path from the root of a work tree, in the form of a manifest. */
export interface FilePath {
  readonly path: string
  /** Base64 of its bytes, if they are not UTF-8. */
  readonly pathBytes?: string | undefined
}

/** Returns a manifest's fields for the bytes of a path. */
export function pathFields(bytes: Buffer): { path: string; pathBytes?: string } {
  const path = bytes.toString('utf8')
  return isUtf8(bytes) ? { path } : { path, pathBytes: bytes.toString('base64') }
}

/** Returns the bytes of a manifest's path. */
export function pathBytes({ path, pathBytes }: FilePath): Buffer {
  return pathBytes === undefined ? Buffer.from(path) : Buffer.from(pathBytes, 'base64')
}

/** Joins a path to a folder, as bytes: the functions of `node:fs` then accept any name. */
export function placeOf(root: string, path: Buffer): Buffer {
  return Buffer.concat([Buffer.from(root.endsWith(sep) ? root : `${root}${sep}`), path])
}

/**
 * Says what is wrong with a path that a dump names; undefined if it stays below its root and out of `.git`. Git refuses
 * the same in patches, https://git-scm.com/docs/git-config#Documentation/git-config.txt-coreprotectNTFS
 */
export function pathFault(bytes: Buffer): string | undefined {
  const path = bytes.toString('latin1')
  if (path === '' || path.includes('\0')) return 'it is empty or holds NUL'
  if (path.startsWith('/') || (sep === '\\' && /[\\:]/.test(path))) return 'it is not relative'
  // File systems ignore letter case, zero-width characters, and certain endings of a name.
  for (const name of bytes.toString('utf8').split('/')) {
    if (name === '' || name === '.' || name === '..') return 'it leaves its folder'
    const plain = name.replace(/[\u200b-\u200f\u202a-\u202e\u2060-\u2064\u206a-\u206f\ufeff]/g, '')
    if (/^(?:\.git|git~1)[ .]*(?::.*)?$/i.test(plain)) return 'it leads into .git'
  }
  return undefined
}
