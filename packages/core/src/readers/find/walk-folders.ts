import type { Dirent, Stats } from 'node:fs'
import { lstat, readdir, realpath, stat } from 'node:fs/promises'
import { basename, join, relative, resolve, sep } from 'node:path'
import type { SkippedFile, SkippedFolder } from './found-files.ts'

export interface WalkedFile {
  readonly path: string
  readonly bytes: number
  /** Last change, in milliseconds since 1970. */
  readonly changed: number
}

export interface Walk {
  /** By folder; files of a folder come before those of its subfolders. */
  readonly files: readonly WalkedFile[]
  readonly folders: readonly string[]
  readonly skippedFiles: readonly SkippedFile[]
  readonly skippedFolders: readonly SkippedFolder[]
}

const neverEntered: ReadonlySet<string> = new Set(['.git', 'node_modules'])

type Place = Readonly<Record<'path' | 'real', string>> & { readonly level: number }

/** Lists all regular files at or below `root`. Links are followed last, to find nothing twice; some of /proc lead nowhere. */
export async function walkFolders(
  root: string,
  except: readonly string[],
  depth: number,
  signal?: AbortSignal,
) {
  const files: WalkedFile[] = []
  const folders: string[] = []
  const skippedFiles: SkippedFile[] = []
  const skippedFolders: SkippedFolder[] = []
  const realRoot = await realpath(root)
  const excluded = new Set(except.map((folder) => resolve(folder)))
  const seen = new Map<string, string>()
  const links: Place[] = []

  async function enter({ path: folder, real, level }: Place): Promise<void> {
    seen.set(real, folder)
    const entries = await listFolder(folder, skippedFolders)
    if (entries === undefined) return
    folders.push(folder)
    const inner: Place[] = []
    for (const entry of entries) {
      signal?.throwIfAborted()
      const place = { path: join(folder, entry.name), real: join(real, entry.name), level: level + 1 }
      if (entry.isSymbolicLink()) links.push(place)
      else if (!entry.isDirectory()) take(place, await infoOf(place.path, lstat, skippedFiles))
      else if (mayEnter(place)) inner.push(place)
    }
    for (const place of inner) await enter(place)
  }

  function mayEnter({ path, real, level }: Place): boolean {
    const named = [path, real].map((each) => basename(each)).some((name) => neverEntered.has(name))
    const reason: Pick<SkippedFolder, 'code' | 'message'> | false = named
      ? { code: 'excluded', message: `folders named ${basename(real)} are not looked into` }
      : excluded.has(resolve(path)) || excluded.has(real)
        ? { code: 'excluded', message: 'it was left out on request' }
        : level > depth && { code: 'too-deep', message: `it is more than ${depth} folders deep` }
    if (reason !== false) skippedFolders.push({ path, ...reason })
    return reason === false
  }

  function take({ path, real }: Place, info: Stats | undefined): void {
    if (info?.isFile() === true) {
      seen.set(real, path)
      files.push({ path, bytes: info.size, changed: info.mtimeMs })
    } else if (info !== undefined)
      skippedFiles.push({ path, code: 'not-a-file', message: `is ${kindOf(info)}, not a regular file` })
  }

  async function follow({ path, level }: Place): Promise<void> {
    const info = await infoOf(path, stat, skippedFiles)
    if (info === undefined) return
    const place = { path, real: await realpath(path).catch(() => path), level }
    const known = seen.get(place.real)
    if (!info.isDirectory()) {
      if (known === undefined) take(place, info)
      else skippedFiles.push({ path, code: 'same-file', message: `is a link to ${known}` })
    }
    // A link to the root or above it would include unrequested files.
    else if (known !== undefined || isAtOrBelow(realRoot, place.real))
      skippedFolders.push({ path, code: 'linked', message: `it is a link to ${known ?? place.real}` })
    else if (mayEnter(place)) await enter(place)
  }

  const top = { path: root, real: realRoot, level: 1 }
  const info = await stat(root)
  if (info.isDirectory()) await enter(top)
  else take(top, info)
  for (const link of links) {
    signal?.throwIfAborted()
    await follow(link)
  }
  return { files, folders, skippedFiles, skippedFolders }
}

/** Sorted by name, so that files are found in the same order everywhere. */
async function listFolder(path: string, skipped: SkippedFolder[]): Promise<Dirent[] | undefined> {
  try {
    const entries = await readdir(path, { withFileTypes: true })
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1))
  } catch (error) {
    skipped.push({ path, code: 'unreadable', message: `it cannot be listed: ${systemMessage(error)}` })
    return undefined
  }
}

export async function infoOf(path: string, ask: (path: string) => Promise<Stats>, skipped: SkippedFile[]) {
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

/** Whether an error comes from the system; all others are bugs. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error
}

/** Returns the message of a system error. Throws any other error. */
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
