import {
  accessSync,
  closeSync,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  renameSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import type { FileSystem, OpenFile } from './file-system.ts'

/**
 * The local file system, with calls that block this thread. Passing a call to another thread and back costs several
 * times as much as a call on a small file, and no other threads have to be started.
 */
export const blockingFileSystem: FileSystem = {
  open: async (path, flags, mode) => openFileOf(openSync(path, flags, mode)),
  rename: async (from, to) => renameSync(from, to),
  link: async (existing, path) => linkSync(existing, path),
  unlink: async (path) => unlinkSync(path),
  mkdir: async (path) => mkdirSync(path),
  lstat: async (path) => lstatSync(path),
  readdir: async (path, options) => readdirSync(path, options),
  realpath: async (path) => realpathSync.native(path),
  access: async (path, mode) => accessSync(path, mode),
}

function openFileOf(file: number): OpenFile {
  return {
    read: async (...given) => ({ bytesRead: readSync(file, ...given) }),
    write: async (...given) => ({ bytesWritten: writeSync(file, ...given) }),
    sync: async () => fsyncSync(file),
    stat: async () => fstatSync(file),
    close: async () => closeSync(file),
  }
}
