import { fsync } from 'node:fs'
import * as nodeFileSystem from 'node:fs/promises'
import { promisify } from 'node:util'

export interface OpenFile {
  read(
    buffer: Uint8Array,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ readonly bytesRead: number }>
  write(
    buffer: Uint8Array,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ readonly bytesWritten: number }>
  sync(): Promise<void>
  stat(): Promise<{ readonly size: number }>
  close(): Promise<void>
}

export interface FileKind {
  isFile(): boolean
  isDirectory(): boolean
  isSymbolicLink(): boolean
}

/** The part of `node:fs/promises` that is used. Tests replace it to fail, shorten or record calls. */
export interface FileSystem {
  open(path: string, flags: string | number, mode?: number): Promise<OpenFile>
  rename(from: string, to: string): Promise<void>
  link(existing: string, path: string): Promise<void>
  unlink(path: string): Promise<void>
  mkdir(path: string): Promise<unknown>
  lstat(path: string): Promise<FileKind & { readonly size: number; readonly mtimeMs: number }>
  readdir(
    path: string,
    options: { readonly withFileTypes: true },
  ): Promise<(FileKind & { readonly name: string })[]>
  realpath(path: string): Promise<string>
  access(path: string, mode: number): Promise<void>
}

export const realFileSystem: FileSystem = {
  ...nodeFileSystem,
  open: async (path, flags, mode) => openFileOf(await nodeFileSystem.open(path, flags, mode)),
}

/** A file handle that syncs by descriptor, because `sync` does not work in the handles of Yarn's Plug'n'Play. */
export function openFileOf(handle: Omit<OpenFile, 'sync'> & { readonly fd: number }): OpenFile {
  return {
    read: (...given) => handle.read(...given),
    write: (...given) => handle.write(...given),
    sync: () => promisify(fsync)(handle.fd),
    stat: () => handle.stat(),
    close: () => handle.close(),
  }
}

/** Code of a system error (`ENOENT`), or undefined for any other value. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}
