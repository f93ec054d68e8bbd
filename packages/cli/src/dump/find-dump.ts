import { cleanLine, haltIds, type Storage, TenfoldError } from '@tenfold/core'

/** Finds the id of the dump that LATEST, an id or its beginning names. Throws TenfoldError `no-dump`. */
export async function findDumpId(storage: Storage, name: string): Promise<string> {
  if (name !== 'LATEST' && !/^\d[\w.-]*$/.test(name))
    throw new TenfoldError(
      'no-dump',
      `expected LATEST, the id of a halt dump or its beginning, got ${JSON.stringify(cleanLine(name).slice(0, 80))}`,
    )
  const ids = await haltIds(storage)
  const found = name === 'LATEST' ? ids.slice(-1) : ids.filter((id) => id.startsWith(name))
  const [id] = found
  if (id !== undefined && found.length === 1) return id
  const shown = cleanLine(name).slice(0, 80)
  const what =
    found.length > 1
      ? `${found.length} halt dumps begin with ${shown}; give more of the id.`
      : `There is no halt dump ${shown} in ${storage.name}; to list the dumps: tenfold dump list.`
  throw new TenfoldError('no-dump', what)
}
