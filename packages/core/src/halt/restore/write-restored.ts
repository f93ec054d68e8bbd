import { chmod, lstat, mkdir, open, rm, rmdir, symlink } from 'node:fs/promises'
import { errorCode, TenfoldError } from '../../errors.ts'
import { isGone } from '../collect/file-digests.ts'
import { pathFault, placeOf } from '../file-path.ts'

/** Refuses a path that leaves the folder: by its names, or through a link along it. */
async function assertInside(root: string, path: Buffer): Promise<void> {
  const fault = pathFault(path) ?? (await linkOnTheWay(root, path))
  if (fault !== undefined)
    throw new TenfoldError(
      'restore-refused',
      `the dump names the path ${JSON.stringify(path.toString('utf8'))}: ${fault}`,
    )
}

async function linkOnTheWay(root: string, path: Buffer): Promise<string | undefined> {
  for (let at = path.indexOf(0x2f); at !== -1; at = path.indexOf(0x2f, at + 1)) {
    const found = await look(placeOf(root, path.subarray(0, at)))
    if (found === undefined) return undefined
    if (!found.isDirectory()) return `${path.subarray(0, at).toString('utf8')} is not a folder`
  }
  return undefined
}

/** Writes a new file or link, never through a link. */
export async function writeRestored(
  root: string,
  path: Buffer,
  bytes: Uint8Array,
  mode: '100644' | '100755' | '120000',
): Promise<void> {
  await assertInside(root, path)
  const slash = path.lastIndexOf(0x2f)
  if (slash !== -1) await mkdir(placeOf(root, path.subarray(0, slash)), { recursive: true })
  const place = placeOf(root, path)
  // The head had a folder there; what is left of it may be empty.
  const found = await look(place)
  if (found?.isDirectory() && !(await removedEmpty(place)))
    throw new TenfoldError('restore-refused', `${path.toString('utf8')} is a folder, and a file in the dump`)
  await rm(place, { force: true })
  if (mode === '120000') {
    await symlink(Buffer.from(bytes), place)
    return
  }
  const file = await open(place, 'wx', mode === '100755' ? 0o755 : 0o644)
  try {
    await file.writeFile(bytes)
  } finally {
    await file.close()
  }
  if (mode === '100755') await chmod(place, 0o755)
}

/** Removes a file or link that the dump lists as deleted. */
export async function removeRestored(root: string, path: Buffer): Promise<void> {
  if (!(await existsAt(root, path))) return
  await assertInside(root, path)
  await rm(placeOf(root, path))
  // Git keeps no empty folder.
  for (let at = path.lastIndexOf(0x2f); at > 0; at = path.lastIndexOf(0x2f, at - 1))
    if (!(await removedEmpty(placeOf(root, path.subarray(0, at))))) return
}

/** Whether a file or link exists at a path, reached through folders and no link. */
export async function existsAt(root: string, path: Buffer): Promise<boolean> {
  if (pathFault(path) !== undefined || (await linkOnTheWay(root, path)) !== undefined) return false
  const found = await look(placeOf(root, path))
  return found !== undefined && !found.isDirectory()
}

async function look(place: Buffer) {
  try {
    return await lstat(place)
  } catch (error) {
    if (isGone(error)) return undefined
    throw error
  }
}

/** Removes a folder if it is empty; returns false if it is not. */
async function removedEmpty(folder: Buffer): Promise<boolean> {
  try {
    await rmdir(folder)
    return true
  } catch (error) {
    const code = errorCode(error)
    if (code === 'ENOTEMPTY' || code === 'EEXIST' || code === 'ENOTDIR') return false
    throw error
  }
}
