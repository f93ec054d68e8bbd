import { chmod, lstat, mkdir, rm, rmdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { errorCode } from '../../errors.ts'
import { isGone, pathFault } from '../files/found-file.ts'
import { foldersOf } from '../files/make-file-parts.ts'
import { refused } from './prepare-folder.ts'

/** Why a path leaves the folder, by its names or through a link along it; undefined if it does not. */
async function faultOf(root: string, path: string): Promise<string | undefined> {
  const fault = pathFault(path)
  if (fault !== undefined) return fault
  for (const folder of foldersOf(path)) {
    const found = await look(join(root, folder))
    if (found === undefined) return undefined
    if (!found.isDirectory()) return `${folder} is not a folder`
  }
  return undefined
}

async function assertInside(root: string, path: string): Promise<void> {
  const fault = await faultOf(root, path)
  if (fault !== undefined) throw refused(`the dump names the path ${JSON.stringify(path)}: ${fault}`)
}

/** Writes a new file or link, never through a link. */
export async function writeRestored(
  root: string,
  path: string,
  bytes: Uint8Array,
  mode: '100644' | '100755' | '120000',
): Promise<void> {
  await assertInside(root, path)
  const place = join(root, path)
  await mkdir(dirname(place), { recursive: true })
  // The head had a folder there; what is left of it may be empty.
  if ((await look(place))?.isDirectory() && !(await removedEmpty(place)))
    throw refused(`${path} is a folder, and a file in the dump`)
  await rm(place, { force: true })
  if (mode === '120000') return await symlink(Buffer.from(bytes), place)
  const permissions = mode === '100755' ? 0o755 : 0o644
  await writeFile(place, bytes, { flag: 'wx', mode: permissions })
  if (mode === '100755') await chmod(place, permissions)
}

/** Removes a file or link that the dump lists as deleted. */
export async function removeRestored(root: string, path: string): Promise<void> {
  if (!(await existsAt(root, path))) return
  await rm(join(root, path))
  // Git keeps no empty folder.
  for (const folder of foldersOf(path).reverse()) if (!(await removedEmpty(join(root, folder)))) return
}

/** Whether a file or link exists at a path, reached through folders and no link. */
export async function existsAt(root: string, path: string): Promise<boolean> {
  if ((await faultOf(root, path)) !== undefined) return false
  const found = await look(join(root, path))
  return found !== undefined && !found.isDirectory()
}

async function look(place: string) {
  return await lstat(place).catch((error: unknown) => {
    if (isGone(error)) return undefined
    throw error
  })
}

/** Removes a folder if it is empty; returns false if it is not. */
async function removedEmpty(folder: string): Promise<boolean> {
  try {
    await rmdir(folder)
    return true
  } catch (error) {
    if (['ENOTEMPTY', 'EEXIST', 'ENOTDIR'].includes(errorCode(error) ?? '')) return false
    throw error
  }
}
