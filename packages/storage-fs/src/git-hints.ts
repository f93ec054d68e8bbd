import { join } from 'node:path'
import { errorCode, type FileSystem } from './file-system.ts'
import { temporaryName } from './write-file-durably.ts'

const head = '# Written once by Tenfold, and yours to change.\n'

const shared = `${head}# Copies of what is newest: each save renews them, so they would conflict in a merge.
LATEST.json
LATEST.md
# Archived logs are large; remove these lines to track them.
/archive/
/pruned/archive/
# Halt dumps hold a conversation and uncommitted changes; jobs of batch APIs belong to a machine.
/dumps/
/batches/
# Logs that wait in a queue still hold their secrets.
/queue/
# Which logs are being compressed at the moment.
/working/
# Files in the making, and locks.
.*.tmp
.*.lock
.*.lock.*
`

const unshared = `${head}# Git ignores this store, so that no commit takes it by accident. To share it in Git: tenfold share
*
`

const attributes = `${head}# The bytes are checked against digests, so Git must not change line ends.
* -text
`

/** The `.gitignore` of a store: shared in Git, or kept out of commits. */
export function storeGitIgnore({ isShared }: { readonly isShared: boolean }): string {
  return isShared ? shared : unshared
}

/** Bundles that people wrote by hand and keep in Git may be in a root before Tenfold uses it. */
const handwritten = /\.md$|^latest\.json$/i

/** Folders whose ignored files remain when Git switches to a branch without the store. */
const leftBehind = new Set([
  'archive',
  'batches',
  'checkpoints',
  'dumps',
  'pruned',
  'queue',
  'tracks',
  'working',
])

/**
 * The Git files that a new root lacks. None if the root contains anything that is not Tenfold's, or stored bundles: a
 * root in use has the files unless its owner removed them.
 */
export async function missingHints(
  fs: FileSystem,
  root: string,
  { isShared }: { readonly isShared: boolean },
): Promise<{ readonly path: string; readonly bytes: Uint8Array }[]> {
  const names = await namesIn(fs, root)
  const byHand = names.filter((name) => handwritten.test(name))
  const hints = {
    '.gitignore': storeGitIgnore({ isShared: isShared || byHand.length > 0 }),
    '.gitattributes': attributes,
  }
  const ours = ['.git', ...Object.keys(hints), ...leftBehind, ...byHand]
  if (!names.every((name) => ours.includes(name) || temporaryName.test(name))) return []
  return Object.entries(hints)
    .filter(([name]) => !names.includes(name))
    .map(([name, content]) => ({ path: join(root, name), bytes: new TextEncoder().encode(content) }))
}

async function namesIn(fs: FileSystem, root: string): Promise<string[]> {
  try {
    return (await fs.readdir(root, { withFileTypes: true })).map(({ name }) => name)
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return []
    throw error
  }
}
