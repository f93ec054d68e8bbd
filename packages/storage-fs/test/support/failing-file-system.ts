import * as real from 'node:fs/promises'
import type { FileSystem, OpenFile } from '../../src/file-system.ts'

/** Calls that can be made to fail: those of the file system and those of an open file. */
export type Call = keyof FileSystem | `file.${keyof OpenFile}`

/** An error as the system reports it, without a stack: tests throw tens of thousands. */
export function systemError(code: string): Error {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  const error = new Error(`${code}: planted`)
  Error.stackTraceLimit = stackTraceLimit
  return Object.assign(error, { code })
}

/**
 * The real file system, or the given one; `before` may throw in place of a call and `shorten` cuts what a write
 * accepts.
 */
export function failingFileSystem(options: {
  readonly over?: FileSystem
  readonly before?: (call: Call, path: string) => void
  readonly shorten?: (length: number) => number
}): FileSystem {
  const { before = () => undefined, shorten = (length: number) => length, over: fs = real } = options
  const wrap = (file: OpenFile, path: string): OpenFile => ({
    async read(...args) {
      before('file.read', path)
      return await file.read(...args)
    },
    async write(buffer, offset, length, position) {
      before('file.write', path)
      const taken = shorten(length)
      return taken === 0 ? { bytesWritten: 0 } : await file.write(buffer, offset, taken, position)
    },
    async sync() {
      before('file.sync', path)
      await file.sync()
    },
    async stat() {
      before('file.stat', path)
      return await file.stat()
    },
    async close() {
      await file.close()
      before('file.close', path)
    },
  })
  return {
    async open(path, flags, mode) {
      before('open', path)
      return wrap(await fs.open(path, flags, mode), path)
    },
    async rename(from, to) {
      before('rename', to)
      await fs.rename(from, to)
    },
    async link(existing, path) {
      before('link', path)
      await fs.link(existing, path)
    },
    async unlink(path) {
      before('unlink', path)
      await fs.unlink(path)
    },
    async mkdir(path) {
      before('mkdir', path)
      return await fs.mkdir(path)
    },
    async lstat(path) {
      before('lstat', path)
      return await fs.lstat(path)
    },
    async readdir(path, readOptions) {
      before('readdir', path)
      return await fs.readdir(path, readOptions)
    },
    async realpath(path) {
      before('realpath', path)
      return await fs.realpath(path)
    },
    async access(path, mode) {
      before('access', path)
      await fs.access(path, mode)
    },
  }
}
