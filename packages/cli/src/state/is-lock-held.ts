import { readFileSync, statSync } from 'node:fs'
import { isAbandoned } from '@tenfold/storage-fs/lock'
import { errorCode } from '../terminal/thrown.ts'

/** Whether a live process holds the lock at `path`. */
export function isLockHeld(path: string): boolean {
  try {
    return !isAbandoned(readFileSync(path, 'utf8'), Date.now() - statSync(path).mtimeMs)
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false
    throw error
  }
}
