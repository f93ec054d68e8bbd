import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { stateFolder } from '../../state/state-folder.ts'
import { projectStoreOf } from '../../store/project-store.ts'
import { errorCode } from '../../terminal/thrown.ts'

/**
 * Chooses the store for a log that no hook reported: the given store, otherwise that of the project that the session
 * ran in. A log's own words are not trusted far: the folder must exist and belong to this user. Without one, the store
 * is `bundles` in the state folder.
 */
export async function chooseStore(named: string | undefined, cwd: string | undefined): Promise<string> {
  if (named !== undefined) return named
  if (cwd !== undefined && (await isOwnFolder(cwd))) return projectStoreOf(cwd)
  return join(stateFolder(), 'bundles')
}

async function isOwnFolder(path: string): Promise<boolean> {
  try {
    const info = await stat(path)
    return info.isDirectory() && (process.getuid === undefined || info.uid === process.getuid())
  } catch (error) {
    if (errorCode(error) !== undefined) return false
    throw error
  }
}
