import { chmod, lstat, mkdir, open, rm, rmdir, symlink } from 'node:fs/promises'
import { errorCode, TenfoldError } from '../../errors.ts'
import { pathFault, placeOf } from '../files/file-path.ts'
import { isGone } from '../files/found-file.ts'

/** Why a path leaves the folder, by its names or through a link along it; undefined if it does not. */
async function faultOf(root: string, path: Buffer): Promise<string | undefined> {
  const fault = pathFault(path)
  if (fault !== undefined) return fault
  for (const folder of foldersOf(path)) {
    const found = await look(placeOf(root, folder))
    if (found === undefined) return undefined
    if (!found.isDirectory()) return `${folder.toString('utf8')} is not a folder`
  }
  return undefined
}

async function assertInside(root: string, path: Buffer): Promise<void> {
  const fault = await faultOf(root, path)
  if (fault !== undefined)
    throw new TenfoldError(
      'restore-refused',
      `the dump names the path ${JSON.stringify(path.toString('utf8'))}: ${fault}`,
    )
}

/** The folders of a path, the outermost first. */
function foldersOf(path: Buffer): Buffer[] {
  const folders: Buffer[] = []
  for (let at = path.indexOf(0x2f); at !== -1; at = path.indexOf(0x2f, at + 1))
    folders.push(path.subarray(0, at))
  return folders
}

/** Writes a new file or link, never through a link. */
export async function writeRestored(
  root: string,
  path: Buffer,
  bytes: Uint8Array,
  mode: '100644' | '100755' | '120000',
): Promise<void> {
  await assertInside(root, path)
  const folder = foldersOf(path).at(-1)
  if (folder !== undefined) await mkdir(placeOf(root, folder), { recursive: true })
  const place = placeOf(root, path)
  // The head had a folder there; what is left of it may be empty.
  if ((await look(place))?.isDirectory() && !(await removedEmpty(place)))
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
  for (const folder of foldersOf(path).reverse()) if (!(await removedEmpty(placeOf(root, folder)))) return
}

/** Whether a file or link exists at a path, reached through folders and no link. */
export async function existsAt(root: string, path: Buffer): Promise<boolean> {
  if ((await faultOf(root, path)) !== undefined) return false
  const found = await look(placeOf(root, path))
  return found !== undefined && !found.isDirectory()
}

async function look(place: Buffer) {
  return await lstat(place).catch((error: unknown) => {
    if (isGone(error)) return undefined
    throw error
  })
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
