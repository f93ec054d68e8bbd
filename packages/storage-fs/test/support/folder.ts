import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach } from 'vitest'

const made: string[] = []

/** A new folder that is removed after the test. */
export async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tenfold-fs-'))
  made.push(folder)
  return folder
}

afterEach(async () => {
  for (const folder of made.splice(0)) await rm(folder, { recursive: true, force: true })
})

/** Paths of all files below a folder, hidden ones too, sorted. */
export async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort()
}

/** Like `filesBelow`, without the files that a new storage gets for Git. */
export async function keyFilesBelow(folder: string): Promise<string[]> {
  return (await filesBelow(folder)).filter((path) => !/(?:^|\/)\.git(?:ignore|attributes)$/.test(path))
}
