import { type HaltDump, loadDump } from '@tenfold/core'
import { findDump } from './find-dump.ts'

/** Loads the dump that `findDump` finds. */
export async function loadNamedDump(store: string, name: string): Promise<HaltDump> {
  const { storage, haltId } = await findDump(store, name)
  return await loadDump(storage, haltId)
}
