import { StorageError, TenfoldError } from '@tenfold/core/storage'
import { errorCode } from './file-system.ts'

interface Failure {
  readonly what: string
  readonly todo: string
  readonly retryable?: boolean
}

const noSpace = {
  what: 'there is no space left',
  todo: 'free some space, or set another folder, then try again',
}
const denied = { what: 'permission was denied', todo: 'check the owner and the mode of the folder' }
const tooManyFiles = {
  what: 'too many files are open',
  todo: 'try again, or raise the limit (ulimit -n)',
  retryable: true,
}

// https://man7.org/linux/man-pages/man3/errno.3.html
const failures = new Map<string, Failure>([
  ['ENOSPC', noSpace],
  ['EDQUOT', { what: 'the disk quota is used up', todo: noSpace.todo }],
  ['EACCES', denied],
  ['EPERM', denied],
  ['EROFS', { what: 'the file system is read-only', todo: 'mount it writable, or set another folder' }],
  ['EMFILE', tooManyFiles],
  ['ENFILE', tooManyFiles],
  ['EIO', { what: 'the disk reported an error', todo: 'check the disk; nothing was reported as saved' }],
  ['EBUSY', { what: 'the file is in use', todo: 'try again', retryable: true }],
  ['EAGAIN', { what: 'the system is short of resources', todo: 'try again', retryable: true }],
  ['ELOOP', { what: 'a symbolic link or a pipe is in its place', todo: 'remove it' }],
  [
    'ENOTDIR',
    { what: 'a file is where a folder is needed', todo: 'use a key that is not below another key' },
  ],
  [
    'EISDIR',
    { what: 'a folder is in its place', todo: 'remove the folder, or use a key without other keys below it' },
  ],
  ['EFBIG', { what: 'the file would be larger than is allowed', todo: 'raise the limit (ulimit -f)' }],
  ['EXDEV', { what: 'the folder spans file systems', todo: 'set a folder that is on one file system' }],
  ['ENOENT', { what: 'its folder was removed meanwhile', todo: 'try again', retryable: true }],
  ['ESTALE', { what: 'the network share was replaced', todo: 'mount it again', retryable: true }],
  ['ENAMETOOLONG', { what: 'the path is too long', todo: 'set a folder with a shorter path' }],
])

/** Converts any error of an operation on a key to a StorageError with the cause, the place and advice. */
export function storageFailure(action: string, key: string, path: string, cause: unknown): TenfoldError {
  if (TenfoldError.isInstance(cause)) return cause
  const code = errorCode(cause)
  const known = code === undefined ? undefined : failures.get(code)
  const reason = known
    ? `${known.what} (${code}); ${known.todo}`
    : cause instanceof Error
      ? cause.message
      : String(cause)
  return new StorageError(key, `cannot ${action} ${path}: ${reason}.`, {
    cause,
    retryable: known?.retryable ?? false,
  })
}
