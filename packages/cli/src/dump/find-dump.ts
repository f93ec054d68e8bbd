import { existsSync } from 'node:fs'
import { type Storage, TenfoldError } from '@tenfold/core'
import { type HaltDump, listDumps, loadDump, openExportedDump } from '@tenfold/core/halt'
import { cleanLine, haltIds } from '@tenfold/core/internal'
import { dumpNames } from '../options/options.ts'
import { openStorage } from '../store/open-store.ts'

/** Throws TenfoldError `no-dump`. */
export async function findDump(store: string, name: string): Promise<HaltDump> {
  if (/[\\/]|\.t(?:ar\.)?gz$/.test(name) && existsSync(name)) return await openExportedDump(name)
  const storage = await openStorage(store)
  const haltId = await findDumpId(storage, name)
  if (haltId !== undefined) return await loadDump(storage, haltId)
  if (name !== '' && existsSync(name)) return await openExportedDump(name)
  if (name === 'LATEST') throw noDump(`There is no halt dump in ${storage.name}.`)
  throw noDump(
    `There is no halt dump ${JSON.stringify(shown(name))} in ${storage.name}, expected ${dumpNames}; to list the dumps: tenfold dump list.`,
  )
}

async function findDumpId(storage: Storage, name: string): Promise<string | undefined> {
  const ids = await haltIds(storage)
  if (name === 'LATEST') return ids.at(-1)
  const found = /^\d{4,}/.test(name) ? ids.filter((id) => id.startsWith(name)) : []
  const exact = found.find((id) => id === name)
  if (exact !== undefined || found.length === 1) return exact ?? found[0]
  const [newest] = name === '' ? [] : await listDumps(storage, { taskId: name, limit: 1 })
  if (newest !== undefined || found.length === 0) return newest?.haltId
  throw noDump(`${found.length} halt dumps have ids that begin with ${shown(name)}; give more of the id.`)
}

function shown(name: string): string {
  return cleanLine(name).slice(0, 80)
}

function noDump(message: string): TenfoldError {
  return new TenfoldError('no-dump', message)
}
