import { existsSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { readTextNow } from '../terminal/regular-file.ts'
import { unlessRefused } from '../terminal/thrown.ts'

const ownStore = join('.agents', 'bundles')

/**
 * Returns the store of a folder's project: the nearest one above, up to the root of the Git repository, otherwise a new
 * one at that root, or in the folder if there is no repository. Outside a repository, only this user's folders and
 * stores count, since anyone can put a store into a shared folder such as `/tmp`.
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
 * A folder and its parents that may belong to the same project, nearest first: up to the root of the Git repository,
 * or, outside a repository, this user's folders up to the home folder.
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
 * The main work tree's store, relative to the folder, if the folder is in a work tree made by `git worktree add`. Such
 * a work tree does not have a store that is not in Git.
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

/** The main work tree of a linked one, whose `.git` file names `<main>/.git/worktrees/<name>`; otherwise undefined. */
export function mainWorkTree(root: string): string | undefined {
  // `.git` is missing, or is the folder of a main work tree.
  const text = unlessRefused(() => readTextNow(join(root, '.git')), '')
  const named = /^gitdir: (.+)$/m.exec(text)?.[1]
  if (named === undefined) return undefined
  return /^(.+)[\\/]\.git[\\/]worktrees[\\/][^\\/]+$/.exec(resolve(root, named.trim()))?.[1]
}
