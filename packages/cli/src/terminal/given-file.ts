import { readFile } from 'node:fs/promises'
import { TenfoldError } from '@tenfold/core'
import { cleanLine } from '@tenfold/core/internal'
import { errorCode, messageOf } from './thrown.ts'

/** The text of a file that `what` names, such as an option. Throws TenfoldError that says so. */
export async function readGivenFile(path: string, what: string, code: TenfoldError['code']): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (cause) {
    throw new TenfoldError(code, `${what} ${cleanLine(path)} cannot be read: ${reasonOf(cause)}.`, { cause })
  }
}

const reasons = new Map([
  ['ENOENT', 'no such file or folder'],
  ['ENOTDIR', 'a part of the path is a file'],
  ['EISDIR', 'it is a folder'],
  ['EACCES', 'you may not access it'],
  ['EPERM', 'you may not access it'],
  ['EROFS', 'the file system is read-only'],
  ['ENOSPC', 'the disk is full'],
])

export function reasonOf(error: unknown): string {
  return reasons.get(errorCode(error) ?? '') ?? messageOf(error)
}
