import { existsSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { readTextNow } from '../terminal/regular-file.ts'
import { unlessRefused } from '../terminal/thrown.ts'
import { foldersOfProject, ownStore } from './project-store.ts'

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
