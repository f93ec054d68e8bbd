import { readlink, realpath } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { errorCode } from './thrown.ts'

/** The file that a path stands for: of a link the one that it points to, also if that is not there yet. */
export async function linkedFile(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
  }
  const link = await linkOf(path)
  return link === undefined ? resolve(path) : await linkedFile(resolve(dirname(path), link))
}

async function linkOf(path: string): Promise<string | undefined> {
  try {
    return await readlink(path)
  } catch (error) {
    // It is no link, or nothing is there.
    if (['EINVAL', 'ENOENT', 'UNKNOWN'].includes(errorCode(error) ?? '')) return undefined
    throw error
  }
}
