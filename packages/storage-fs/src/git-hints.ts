import { join } from 'node:path'
import { errorCode, type FileSystem } from './file-system.ts'
import { temporaryName } from './write-file-durably.ts'

/** Files that a new storage gets for Git, by name. No key has a segment that begins with a dot. */
const gitHints: ReadonlyMap<string, string> = new Map([
  [
    '.gitignore',
    `# Written once by Tenfold, and yours to change.
# Archived logs are large; remove this line to track them.
/archive/
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

/**
 * Whether nothing is stored below `root` yet. A root that holds other things is not ours to put hints into, and a root
 * in use already has them, unless its owner removed them.
 */
export async function isNewStore(fs: FileSystem, root: string): Promise<boolean> {
  try {
    const entries = await fs.readdir(root, { withFileTypes: true })
    return entries.every(({ name }) => name === '.git' || gitHints.has(name) || temporaryName.test(name))
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return true
    throw error
  }
}

/** Paths and bytes of the hints that a root does not have. */
export function hintFiles(root: string): { readonly path: string; readonly bytes: Uint8Array }[] {
  return [...gitHints].map(([name, content]) => ({
    path: join(root, name),
    bytes: new TextEncoder().encode(content),
  }))
}
