import { existsSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { readTextNow } from '../terminal/regular-file.ts'
import { unlessRefused } from '../terminal/thrown.ts'

const ownStore = join('.agents', 'bundles')

/**
 * Returns the store of the project that a folder is in: the nearest one above, up to the root of the Git repository;
 * otherwise a new one at that root, or in the folder itself if there is no repository. Outside of a repository only
 * folders and stores of this user count, since anyone can put a store into a shared folder such as `/tmp`.
 */
export function projectStoreOf(folder: string): string {
  const candidates = foldersOfProject(folder)
  const root = candidates.find(isRoot)
  const isThere = root === undefined ? isOwn : existsSync
  const found = candidates.find((path) => isThere(join(path, ownStore)))
  return join(found ?? root ?? resolve(folder), ownStore)
}

export function defaultStore(): string {
  const cwd = process.cwd()
  return relative(cwd, projectStoreOf(cwd))
}

/**
 * A folder and those above it that may belong to the same project, the nearest first: up to the root of the Git
 * repository; outside of one, the folders of this user up to the home folder.
 */
export function foldersOfProject(folder: string): string[] {
  const above = foldersAbove(resolve(folder))
  const root = above.findIndex(isRoot)
  if (root !== -1) return above.slice(0, root + 1)
  return above.slice(0, above.indexOf(homedir()) + 1 || undefined).filter(isOwn)
}

export function isInRepository(folder: string): boolean {
  return foldersAbove(resolve(folder)).some(isRoot)
}

function isRoot(path: string): boolean {
  return existsSync(join(path, '.git'))
}

function foldersAbove(folder: string): string[] {
  const parent = dirname(folder)
  return parent === folder ? [folder] : [folder, ...foldersAbove(parent)]
}

function isOwn(path: string): boolean {
  const stat = unlessRefused(() => statSync(path), undefined)
  return stat !== undefined && (process.getuid?.() ?? stat.uid) === stat.uid
}

/**
 * The store of the main work tree, as a path from the folder, if the folder is in a work tree that `git worktree add`
 * made: a store that is not in Git stays where it was made.
 */
export function storeOfMainWorkTree(folder: string): string | undefined {
  for (const above of foldersOfProject(folder)) {
    const main = mainWorkTree(above)
    if (main === undefined) continue
    const store = join(main, ownStore)
    return existsSync(store) ? relative(folder, store) : undefined
  }
  return undefined
}

/** Undefined outside of such a work tree, in which `.git` is a file that names `<main>/.git/worktrees/<name>`. */
export function mainWorkTree(root: string): string | undefined {
  // There is none, or it is the folder of a main work tree.
  const text = unlessRefused(() => readTextNow(join(root, '.git')), '')
  const named = /^gitdir: (.+)$/m.exec(text)?.[1]
  if (named === undefined) return undefined
  return /^(.+)[\\/]\.git[\\/]worktrees[\\/][^\\/]+$/.exec(resolve(root, named.trim()))?.[1]
}
