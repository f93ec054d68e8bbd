import { join } from 'node:path'
import { errorCode, type FileSystem } from './file-system.ts'
import { temporaryName } from './write-file-durably.ts'

/** Files that a new storage gets for Git, by name. No key has a segment that begins with a dot. */
const gitHints: ReadonlyMap<string, string> = new Map([
  [
    '.gitignore',
    `# Written once by Tenfold, and yours to change.
# Copies of what is newest: each save renews them, so they would conflict in a merge.
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
`,
  ],
  [
    '.gitattributes',
    `# Written once by Tenfold: the bytes are checked against digests, so Git must not change line ends.
* -text
`,
  ],
])

// What versions before 0.2 wrote; a file that nobody changed since is brought up to date.
const formerIgnore = `# Written once by Tenfold, and yours to change.
# Archived logs are large; remove this line to track them.
/archive/
# Files in the making, and locks.
.*.tmp
.*.lock
.*.lock.*
`

/** Bundles that people wrote by hand may be in a root before Tenfold is. */
const handwritten = /\.md$|^latest\.json$/i

/** Folders in which ignored files stay when Git switches to a branch without the store: all but those of bundles. */
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

/** Whether the bytes of a hint are those that an older version wrote. */
export function isFormerHint(bytes: Uint8Array): boolean {
  return Buffer.compare(bytes, Buffer.from(formerIgnore)) === 0
}

/**
 * Whether no bundle is stored below `root` yet. A root that holds other things is not ours to put hints into, and a root
 * in use already has them, unless its owner removed them.
 */
export async function isNewStore(fs: FileSystem, root: string): Promise<boolean> {
  try {
    const entries = await fs.readdir(root, { withFileTypes: true })
    return entries.every(
      ({ name }) =>
        name === '.git' ||
        gitHints.has(name) ||
        leftBehind.has(name) ||
        temporaryName.test(name) ||
        handwritten.test(name),
    )
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return true
    throw error
  }
}

/** Paths and bytes of the hints of a root. */
export function hintFiles(root: string): { readonly path: string; readonly bytes: Uint8Array }[] {
  return [...gitHints].map(([name, content]) => ({
    path: join(root, name),
    bytes: new TextEncoder().encode(content),
  }))
}
