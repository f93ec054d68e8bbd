import type { Dirent, Stats } from 'node:fs'
import { lstat, readdir, realpath, stat } from 'node:fs/promises'
import { basename, join, relative, resolve, sep } from 'node:path'
import type { SkippedFile, SkippedFolder } from './found-files.ts'

/** A regular file that a walk found. */
export interface WalkedFile {
  readonly path: string
  readonly bytes: number
  /** Last change, in milliseconds since 1970. */
  readonly changed: number
}

export interface Walk {
  /** By folder; a folder's own files come before those of its subfolders. */
  readonly files: readonly WalkedFile[]
  readonly folders: readonly string[]
  readonly skippedFiles: readonly SkippedFile[]
  readonly skippedFolders: readonly SkippedFolder[]
}

export interface WalkOptions {
  readonly except: readonly string[]
  /** Maximum levels of folders; the root is level 1. */
  readonly depth: number
  readonly signal: AbortSignal | undefined
}

const neverEntered: ReadonlySet<string> = new Set(['.git', 'node_modules'])

interface OpenFolder {
  readonly path: string
  readonly real: string
  readonly level: number
}

/**
 * All regular files at or below `root`. Links to files and folders are followed only after everything here is known, so
 * that nothing is found twice and no loop is entered. What cannot be listed is reported, not thrown.
 */
export async function walkFolders(root: string, { except, depth, signal }: WalkOptions): Promise<Walk> {
  const files: WalkedFile[] = []
  const folders: string[] = []
  const skippedFiles: SkippedFile[] = []
  const skippedFolders: SkippedFolder[] = []
  const realRoot = await realpath(root)
  const excluded = new Set(except.map((folder) => resolve(folder)))
  /** Real paths, with the path under which each was found. */
  const seen = new Map<string, string>()
  const links: OpenFolder[] = []

  function addFile(path: string, real: string, info: Stats): void {
    seen.set(real, path)
    files.push({ path, bytes: info.size, changed: info.mtimeMs })
  }

  async function enter(first: OpenFolder): Promise<void> {
    const open = [first]
    for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
      seen.set(folder.real, folder.path)
      const entries = await listFolder(folder.path, skippedFolders)
      if (entries === undefined) continue
      folders.push(folder.path)
      const inner: OpenFolder[] = []
      for (const entry of entries) {
        signal?.throwIfAborted()
        const path = join(folder.path, entry.name)
        const at = { path, real: join(folder.real, entry.name), level: folder.level + 1 }
        if (entry.isSymbolicLink()) links.push(at)
        else if (entry.isDirectory()) {
          if (mayEnter(at)) inner.push(at)
        } else await takeFile(at)
      }
      open.push(...inner.reverse())
    }
  }

  function mayEnter({ path, real, level }: OpenFolder): boolean {
    const refuse = (code: SkippedFolder['code'], message: string): false => {
      skippedFolders.push({ path, code, message })
      return false
    }
    if (neverEntered.has(basename(path)) || neverEntered.has(basename(real)))
      return refuse('excluded', `folders named ${basename(real)} are not looked into`)
    if (excluded.has(resolve(path)) || excluded.has(real))
      return refuse('excluded', 'it was left out on request')
    if (level > depth) return refuse('too-deep', `it is more than ${depth} folders deep`)
    return true
  }

  async function takeFile({ path, real }: OpenFolder): Promise<void> {
    const info = await infoOf(path, lstat, skippedFiles)
    if (info === undefined) return
    if (info.isFile()) addFile(path, real, info)
    else skippedFiles.push({ path, code: 'not-a-file', message: `is ${kindOf(info)}, not a regular file` })
  }

  async function follow(link: OpenFolder): Promise<void> {
    const { path, level } = link
    const info = await infoOf(path, stat, skippedFiles)
    if (info === undefined) return
    const real = await realpath(path)
    const known = seen.get(real)
    if (info.isDirectory()) {
      const target = { path, real, level }
      // A link to the root or above it would bring in files that nobody asked for.
      if (known === undefined && !isAtOrBelow(realRoot, real)) {
        if (mayEnter(target)) await enter(target)
      } else skippedFolders.push({ path, code: 'linked', message: `it is a link to ${known ?? real}` })
    } else if (known !== undefined)
      skippedFiles.push({ path, code: 'same-file', message: `is a link to ${known}` })
    else if (info.isFile()) addFile(path, real, info)
    else skippedFiles.push({ path, code: 'not-a-file', message: `is ${kindOf(info)}, not a regular file` })
  }

  const info = await stat(root)
  if (info.isDirectory()) await enter({ path: root, real: realRoot, level: 1 })
  else await takeRoot(info)
  for (const link of links) {
    signal?.throwIfAborted()
    await follow(link)
  }
  return { files, folders, skippedFiles, skippedFolders }

  async function takeRoot(rootInfo: Stats): Promise<void> {
    if (rootInfo.isFile()) addFile(root, realRoot, rootInfo)
    else
      skippedFiles.push({
        path: root,
        code: 'not-a-file',
        message: `is ${kindOf(rootInfo)}, not a regular file`,
      })
  }
}

/** Entries sorted by name, so that files are found in the same order everywhere. */
async function listFolder(path: string, skipped: SkippedFolder[]): Promise<Dirent[] | undefined> {
  try {
    const entries = await readdir(path, { withFileTypes: true })
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1))
  } catch (error) {
    skipped.push({ path, code: 'unreadable', message: `it cannot be listed: ${systemMessage(error)}` })
    return undefined
  }
}

async function infoOf(
  path: string,
  ask: (path: string) => Promise<Stats>,
  skipped: SkippedFile[],
): Promise<Stats | undefined> {
  try {
    return await ask(path)
  } catch (error) {
    if (!isSystemError(error)) throw error
    if (error.code !== 'ENOENT' && error.code !== 'ELOOP')
      skipped.push({ path, code: 'unreadable', message: `cannot be read: ${error.message}` })
    else if (ask === lstat)
      skipped.push({ path, code: 'gone', message: 'disappeared while the folder was searched' })
    else skipped.push({ path, code: 'dangling-link', message: 'is a link to nothing' })
    return undefined
  }
}

/** Whether the system gave an error; all others are bugs. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error
}

/** The message of an error from the system. Throws any other error. */
export function systemMessage(error: unknown): string {
  if (isSystemError(error)) return error.message
  throw error
}

function kindOf(info: Stats): string {
  if (info.isSocket()) return 'a socket'
  if (info.isFIFO()) return 'a pipe'
  return info.isDirectory() ? 'a folder' : 'a device'
}

function isAtOrBelow(path: string, folder: string): boolean {
  const place = relative(folder, path)
  return place === '' || (place !== '..' && !place.startsWith(`..${sep}`) && resolve(folder, place) === path)
}
