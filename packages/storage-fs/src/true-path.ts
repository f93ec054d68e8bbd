import { basename, join } from 'node:path'
import type { FileSystem } from './file-system.ts'

/**
 * How a path below `base` compares to its real path in the file system: the same, through a symbolic link, or spelled
 * in another case, which file systems that fold case find too.
 */
export async function comparePath(
  fs: FileSystem,
  base: string,
  path: string,
): Promise<'same' | 'link' | 'other-case'> {
  const expected = join(await fs.realpath(base), path.slice(base.length))
  const actual = await fs.realpath(path)
  if (actual === expected) return 'same'
  return actual.toLowerCase() === expected.toLowerCase() ? 'other-case' : 'link'
}

/** Throws for a path below `base` that goes through a link, whose target may be anywhere, or that has another case. */
export async function assertTruePath(fs: FileSystem, base: string, path: string): Promise<void> {
  const found = await comparePath(fs, base, path)
  if (found === 'link') throw linkError(path)
  if (found === 'other-case') throw caseError(basename(await fs.realpath(path)))
}

export function linkError(path: string): Error {
  return Object.assign(new Error(`${path} is a symbolic link or behind one`), { code: 'ELOOP' })
}

export function caseError(taken: string): Error {
  return new Error(`${taken} already exists and differs only in case; use that name, or another one`)
}
