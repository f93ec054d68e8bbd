import type { Checkpoint } from '@tenfold/core'
import { openStore } from '../store/open-store.ts'
import type { Terminal } from '../terminal/terminal.ts'

export async function noteIfOlder({ track, createdAt }: Checkpoint, place: string, terminal: Terminal) {
  const store = await openStore(place, terminal)
  // Hooks put sessions on the main track, whatever the track of an agent's checkpoints.
  const newest =
    (await store.list({ track, limit: 1 }))[0] ?? (await store.list({ track: 'main', limit: 1 }))[0]
  if (newest === undefined || newest.createdAt <= createdAt) return
  const option = newest.track === 'main' ? '' : ` --track ${newest.track}`
  terminal.note(
    `It is older than the bundle ${newest.id} of a session that may have done its step; to continue from that: tenfold resume${option}`,
  )
}
