import { setTimeout as sleep } from 'node:timers/promises'
import { bundleStore } from '@tenfold/core'
import { checkpointStore } from '@tenfold/core/store'
import { fileStorage } from '@tenfold/storage-fs'
import { type SaveKind, startSaver } from './saver.ts'

/** Options of {@link runCrowd}. */
export interface CrowdOptions {
  readonly program: string
  readonly folder: string
  readonly processes: number
  /** Saves of each process. */
  readonly saves: number
  /** All processes on one track, or each on its own. */
  readonly tracks: 'one' | 'many'
  readonly kinds: readonly SaveKind[]
}

/** Results of a crowd, and what is wrong with the store afterwards. */
export interface CrowdReport {
  readonly saves: number
  /** How often a reader looked while they wrote. */
  readonly looks: number
  readonly violations: readonly string[]
}

/**
 * Lets many processes save at once, with a reader that reads LATEST all the time. Every save that returned must be in
 * the history, once; LATEST must be the last one and never go back.
 */
export async function runCrowd(options: CrowdOptions): Promise<CrowdReport> {
  const { folder, processes, tracks, kinds } = options
  const names = Array.from({ length: processes }, (_, index) =>
    tracks === 'one' ? 'main' : `track-${index}`,
  )
  const violations: string[] = []
  const savers = names.map((track) =>
    startSaver(options.program, { folder, track, kinds, count: options.saves }),
  )
  let running = true
  const reader = watch(folder, names[0] ?? '', () => running, violations)
  const announced = await Promise.all(savers.map(({ saves }) => saves))
  running = false
  const looks = await reader

  const storage = fileStorage(folder)
  for (const track of new Set(names)) {
    for (const kind of new Set(kinds)) {
      const saved = announced.flatMap((saves, index) =>
        names[index] === track ? saves.filter((save) => save.kind === kind) : [],
      )
      const store = kind === 'checkpoint' ? checkpointStore(storage) : bundleStore(storage)
      const history = (await store.list({ track })).map(({ id }) => id).sort()
      const place = `${kind}s of ${track}`
      if (new Set(history).size !== history.length) violations.push(`${place}: a double`)
      if (history.length !== saved.length)
        violations.push(`${place}: ${history.length} entries of ${saved.length} saves`)
      for (const one of saved)
        if (!one.saved || !history.includes(one.id)) violations.push(`${place}: lost ${one.id}`)
      for (const id of history) await store.load(id)
      const latest = await store.latest(track)
      if (latest?.entry.id !== history.at(-1))
        violations.push(`${place}: LATEST is ${latest?.entry.id} instead of ${history.at(-1)}`)
    }
  }
  return { saves: announced.flat().length, looks, violations }
}

async function watch(
  folder: string,
  track: string,
  goesOn: () => boolean,
  violations: string[],
): Promise<number> {
  const store = bundleStore(fileStorage(folder))
  let looks = 0
  let last = ''
  while (goesOn()) {
    try {
      const id = (await store.latest(track))?.entry.id ?? ''
      if (id < last) violations.push(`LATEST of ${track} went back from ${last} to ${id}`)
      last = id
    } catch (error) {
      violations.push(`LATEST of ${track} could not be read: ${error}`)
    }
    looks += 1
    await sleep(5)
  }
  return looks
}
