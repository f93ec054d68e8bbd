import { createHash } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { stateFolder, statePlace } from '../../../state/state-folder.ts'
import { readJson } from '../../../terminal/json-input.ts'

/**
 * Record of what an installation created in a settings file besides the hooks, so that removal can restore the file.
 */
export interface InstallRecord {
  readonly path: string
  /** The file itself did not exist. */
  readonly created: boolean
  readonly made: readonly string[]
  /** The topmost folder that was created for the file. */
  readonly folder?: string
}

/** Reads the record of a settings file; undefined if there is none or it is unreadable. */
export function readRecord(path: string): InstallRecord | undefined {
  const value = readJson(recordPath(path))
  // Without a record, only what is certainly tenfold's is removed.
  if (typeof value !== 'object' || value === null || !('made' in value) || !Array.isArray(value.made))
    return undefined
  return {
    path: resolve(path),
    created: 'created' in value && value.created === true,
    made: value.made.filter((place) => typeof place === 'string'),
    ...('folder' in value && typeof value.folder === 'string' && { folder: value.folder }),
  }
}

export function writeRecord(path: string, record: Omit<InstallRecord, 'path'>): void {
  const text = `${JSON.stringify({ path: resolve(path), ...record }, null, 2)}\n`
  statePlace('installed')
  writeFileSync(recordPath(path), text, { mode: 0o600 })
}

export function removeRecord(path: string): void {
  rmSync(recordPath(path), { force: true })
}

function recordPath(path: string): string {
  const name = createHash('sha256').update(resolve(path)).digest('hex').slice(0, 32)
  return join(stateFolder(), 'installed', `${name}.json`)
}
