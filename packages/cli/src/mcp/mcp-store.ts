import type { BundleStore, ContextBundle } from '@tenfold/core'
import { openArchivedLog, type SearchableLog } from '@tenfold/core/store'
import { findStoredBundle } from '../store/find-bundle.ts'
import { openStore } from '../store/open-store.ts'
import type { Terminal } from '../terminal/terminal.ts'

/** The store of a server: opened at the first call that needs it. */
export type McpStore = ReturnType<typeof mcpStore>

export function mcpStore(place: string, terminal: Terminal) {
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
    /**
     * The bundle of `LATEST`, an id, a session, a task or a track. Takes no path: a model must not read files through it.
     * `before`: of `LATEST`, the newest whose session had ended by then, if there is one.
     */
    async bundle(name = 'LATEST', track = 'main', before?: Date): Promise<ContextBundle> {
      const store = await open()
      if (name === 'LATEST' && before !== undefined) {
        const ended = (await store.list({ track })).findLast(({ createdAt }) => new Date(createdAt) < before)
        if (ended !== undefined) return await store.load(ended.id)
      }
      return await findStoredBundle(name, { store, track, terminal })
    },
    /** The archived log of a bundle. The last requested one stays in memory with its index. */
    async log(bundle: ContextBundle): Promise<SearchableLog> {
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
