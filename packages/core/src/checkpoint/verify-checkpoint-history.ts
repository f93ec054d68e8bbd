import { listNumbers, numberedKey, readNumbered } from '../storage/numbered-log.ts'
import type { Storage } from '../storage/storage.ts'
import type { FindingSink } from '../store/verify/store-finding.ts'
import { checkpointKey } from './checkpoint-keys.ts'
import { checkpointLog } from './checkpoint-log.ts'
import { checkpointTracks, readPointer } from './pointer.ts'

/**
 * Checks that every checkpoint has its entry: numbers rise by one, no checkpoint has two entries, LATEST names nothing
 * that is missing, and each stored checkpoint is listed.
 */
export async function verifyCheckpointHistory(storage: Storage, sink: FindingSink): Promise<void> {
  const pointer = await readPointer(storage)
  const held = typeof pointer === 'string' ? [] : pointer.tracks
  const tracks = new Set([...(await checkpointTracks(storage)), ...held.map(({ track }) => track)])
  for (const track of tracks) {
    // Checkpoints first: one that is saved at the same time has its entry by the time entries are listed.
    const stored = await storedIds(storage, track)
    const log = checkpointLog(track)
    const numbers = await listNumbers(storage, log.prefix)
    const newest = held.find((entry) => entry.track === track)?.sequence ?? 0
    let before = 0
    for (const number of [...numbers, newest + 1]) {
      if (number > before + 1) await addGap(track, before + 1, number - 1, sink)
      before = Math.max(before, number)
    }
    const listed = new Map<string, number>()
    for (const number of numbers) {
      const entry = await readNumbered(storage, log, number)
      if (entry === undefined || entry instanceof Error) continue
      const first = listed.get(entry.id)
      listed.set(entry.id, first ?? number)
      if (first === undefined) continue
      const message = `entries ${first} and ${number} of track ${track} name the same checkpoint ${entry.id}`
      await sink.add('fault', 'checkpoint-twice', numberedKey(log.prefix, number), message)
    }
    for (const id of stored) {
      if (listed.has(id)) continue
      const key = checkpointKey(track, id)
      const message = `${key} is in no list: its save was interrupted, or its entry is lost`
      await sink.add('warning', 'checkpoint-unlisted', key, message)
    }
  }
}

async function addGap(track: string, first: number, last: number, sink: FindingSink): Promise<void> {
  const which = first === last ? `entry ${first} is` : `entries ${first} to ${last} are`
  const key = numberedKey(checkpointLog(track).prefix, first)
  await sink.add('fault', 'checkpoint-gap', key, `${which} missing among the checkpoints of track ${track}`)
}

async function storedIds(storage: Storage, track: string): Promise<string[]> {
  const ids: string[] = []
  const prefix = `checkpoints/${track}/`
  for await (const { key } of storage.list(prefix)) {
    const id = /^([^/]+)\.json$/.exec(key.slice(prefix.length))?.[1]
    if (id !== undefined && key === checkpointKey(track, id)) ids.push(id)
  }
  return ids
}
