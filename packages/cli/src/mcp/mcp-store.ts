import { type BundleStore, type ContextBundle, openArchivedLog, type SearchableLog } from '@tenfold/core'
import { findStoredBundle } from '../store/find-bundle.ts'
import { openStore } from '../store/open-store.ts'
import type { Terminal } from '../terminal/terminal.ts'

/** The store of a server: opened at the first call that needs it. */
export interface McpStore {
  readonly place: string
  open(): Promise<BundleStore>
  /**
   * The bundle of `LATEST`, an id, a session, a task or a track. Takes no path: a model must not read files through it.
   * `before`: of `LATEST`, the newest whose session had ended by then, if there is one.
   */
  bundle(name: string | undefined, track: string | undefined, before?: Date): Promise<ContextBundle>
  /** The archived log of a bundle. The last requested one stays in memory with its index. */
  log(bundle: ContextBundle): Promise<SearchableLog>
}

export function mcpStore(place: string, terminal: Terminal): McpStore {
  let opened: Promise<BundleStore> | undefined
  let last: { readonly id: string; readonly log: Promise<SearchableLog> } | undefined

  async function open(): Promise<BundleStore> {
    opened ??= openStore(place, terminal)
    try {
      return await opened
    } catch (error) {
      opened = undefined
      throw error
    }
  }

  return {
    place,
    open,
    async bundle(name = 'LATEST', track = 'main', before) {
      const store = await open()
      if (name === 'LATEST' && before !== undefined) {
        const ended = (await store.list({ track })).findLast(({ createdAt }) => new Date(createdAt) < before)
        if (ended !== undefined) return await store.load(ended.id)
      }
      return await findStoredBundle(name, { store, track, terminal })
    },
    async log(bundle) {
      const store = await open()
      if (last?.id !== bundle.id) last = { id: bundle.id, log: openArchivedLog(store, bundle) }
      const { log } = last
      try {
        const found = await log
        // A log that the bundle replaced may be available or repaired at the next call.
        if (found.log.from === 'bundle' && last?.log === log) last = undefined
        return found
      } catch (error) {
        if (last?.log === log) last = undefined
        throw error
      }
    },
  }
}
