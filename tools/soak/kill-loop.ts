import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { bundleStore } from '@tenfold/core'
import { checkpointStore } from '@tenfold/core/store'
import { fileStorage } from '@tenfold/storage-fs'
import { seededRandom } from '../eval/random.ts'
import { type AnnouncedSave, type SaveKind, startSaver } from './saver.ts'

/** Options of {@link killSavers}. */
export interface KillOptions {
  /** The file that `bundleSaver` made. */
  readonly program: string
  readonly folder: string
  readonly kills: number
  /** Continues, up to three times `kills`, until this many saves in flight were kept and dropped. @default 0 */
  readonly least?: { readonly kept: number; readonly dropped: number }
  /** Processes at a time, each on a track of its own, two to a store. */
  readonly lanes: number
  readonly kinds: readonly SaveKind[]
  /** A process is killed after at most this many saves, at a random moment of the next. */
  readonly maxSaves: number
  /** Fixes the moments of the kills, as far as a machine with other work allows. */
  readonly seed: number
  /** No further process is started after this many milliseconds. @default no end */
  readonly timeLimit?: number
}

/** The result of a kill loop. `violations` lists what was lost or torn; empty if all is well. */
export interface KillReport {
  readonly kills: number
  readonly acknowledged: number
  /** Saves in flight at the kill that are there, and those that are not. */
  readonly kept: number
  readonly dropped: number
  /** How often a reader found that later saves of a track are not intact, or could not renew LATEST. */
  readonly repaired: number
  readonly violations: readonly string[]
}

// A saver prints a line before a save, one after each of the five objects that it puts, and one after the save.
const linesOfSave = 7

// In milliseconds: a put takes about this long.
const putTime = 4

interface Tally {
  kills: number
  acknowledged: number
  kept: number
  dropped: number
  repaired: number
  readonly violations: string[]
}

/**
 * Starts savers and kills each at a random moment. After each kill LATEST must be whole, the last acknowledged save
 * must be there, and of the others at most the one in flight may be missing; at the end the whole history must be what
 * was saved.
 */
export async function killSavers(options: KillOptions): Promise<KillReport> {
  const tally: Tally = { kills: 0, acknowledged: 0, kept: 0, dropped: 0, repaired: 0, violations: [] }
  const end = performance.now() + (options.timeLimit ?? Number.POSITIVE_INFINITY)
  const random = seededRandom(options.seed)
  let started = 0
  const { kept, dropped } = options.least ?? { kept: 0, dropped: 0 }
  const goesOn = (): boolean =>
    performance.now() < end &&
    (started < options.kills ||
      (started < 3 * options.kills && (tally.kept < kept || tally.dropped < dropped)))
  const runLane = async (lane: number): Promise<void> => {
    const track = `lane-${lane}`
    const folder = join(options.folder, `store-${lane >> 1}`)
    const histories = new Map<SaveKind, string[]>(options.kinds.map((kind) => [kind, []]))
    while (goesOn()) {
      started += 1
      const { child, printed, saves } = startSaver(options.program, { ...options, folder, track, count: 0 })
      // By the number of puts and not by the clock, so that a machine kills before and after the commit at any speed.
      await printed(1 + Math.floor(random() * linesOfSave * (options.maxSaves + 1)))
      await sleep(random() * putTime)
      child.kill('SIGKILL')
      await checkLife(folder, track, await saves, histories, tally)
      tally.kills += 1
    }
    for (const [kind, ids] of histories) await checkHistory(folder, track, kind, ids, tally)
  }
  await Promise.all(Array.from({ length: options.lanes }, (_, lane) => runLane(lane)))
  return tally
}

interface Head {
  readonly id: string
  readonly repaired: boolean
}

async function headOf(folder: string, track: string, kind: SaveKind): Promise<Head | undefined> {
  const storage = fileStorage(folder)
  if (kind === 'checkpoint') {
    const found = await checkpointStore(storage).latest(track)
    return found && { id: found.checkpoint.id, repaired: found.repaired !== undefined }
  }
  const found = await bundleStore(storage).latest(track)
  return found && { id: found.bundle.id, repaired: found.repaired !== undefined }
}

/** `histories` holds the ids that must be there, by kind, and receives those of this life. */
async function checkLife(
  folder: string,
  track: string,
  saves: readonly AnnouncedSave[],
  histories: ReadonlyMap<SaveKind, string[]>,
  tally: Tally,
): Promise<void> {
  const fault = (text: string): number => tally.violations.push(`kill ${tally.kills}, ${track}: ${text}`)
  for (const [kind, ids] of histories) {
    const mine = saves.filter((save) => save.kind === kind)
    for (const { id, saved } of mine) {
      if (!saved) continue
      if (id <= (ids.at(-1) ?? '')) fault(`${kind} ${id} is not later than ${ids.at(-1)}`)
      ids.push(id)
      tally.acknowledged += 1
    }
    const inFlight = mine.find(({ saved }) => !saved)
    try {
      const head = await headOf(folder, track, kind)
      if (head?.repaired) tally.repaired += 1
      const kept = inFlight !== undefined && head?.id === inFlight.id
      if (kept && inFlight.id <= (ids.at(-1) ?? ''))
        fault(`${kind} ${inFlight.id} is not later than ${ids.at(-1)}`)
      if (!kept && head?.id !== ids.at(-1)) fault(`LATEST ${kind} is ${head?.id} instead of ${ids.at(-1)}`)
      if (kept) ids.push(inFlight.id)
      if (inFlight !== undefined) tally[kept ? 'kept' : 'dropped'] += 1
    } catch (error) {
      fault(`LATEST ${kind} cannot be read: ${error}`)
    }
  }
}

async function checkHistory(
  folder: string,
  track: string,
  kind: SaveKind,
  ids: readonly string[],
  tally: Tally,
): Promise<void> {
  const fault = (text: string): number => tally.violations.push(`${track}: ${text}`)
  const storage = fileStorage(folder)
  try {
    const store = kind === 'checkpoint' ? checkpointStore(storage) : bundleStore(storage)
    const history = (await store.list({ track })).map(({ id }) => id).sort()
    if (history.join() !== ids.join()) fault(`the history of ${kind}s is not what was saved`)
    for (const id of history) await store.load(id)
  } catch (error) {
    fault(`the history of ${kind}s cannot be read: ${error}`)
  }
}
