import { createHash } from 'node:crypto'
import type { Storage } from '@tenfold/core'
import { createFileStorage } from '../../src/file-storage.ts'
import { copyOf, faultsOf, type Known, nothingKnown } from './known-store.ts'
import { type DiskImage, type MemoryDiskOptions, memoryDisk } from './memory-disk.ts'

/** Path of the storage on a memory disk. The folder above it exists from the start. */
export const root = '/srv/store'

const maxStates = 4_096
const parallel = 64

/** One state that a crash may leave, and how many calls had returned before it. */
interface CrashState {
  readonly image: DiskImage
  readonly returned: number
  readonly call: string
}

/** Everything that a run over a memory disk can leave. `moments` are the calls that changed something. */
export interface CrashRun {
  readonly states: readonly CrashState[]
  readonly moments: number
  /** States of all moments, before duplicates were removed. */
  readonly raw: number
  /** Moments with more states than the limit, of which only some were taken. */
  readonly cut: number
  readonly known: Known
}

/** A storage as the recovery after a crash opens it, when no lock is held any more. */
export function recoveringStorage(image: DiskImage): Storage {
  const lockTimes = { staleAfter: 1, giveUpAfter: 10_000 }
  return createFileStorage(root, memoryDisk({ image }).fs, { lockTimes })
}

/** Options of `recordCrashes`. */
export interface CrashRunOptions extends Omit<MemoryDiskOptions, 'onChange'> {
  /** Wraps the adapter with the faults of a store. */
  readonly wrap?: (storage: Storage) => Storage
  /** States to take of one moment. @default 4_096 */
  readonly limit?: number
}

/** Runs the real adapter over a recording disk, and collects every state that a crash after any call can leave. */
export async function recordCrashes(
  run: (open: () => Storage, known: Known) => Promise<void>,
  options: CrashRunOptions = {},
): Promise<CrashRun> {
  const { wrap = (storage) => storage, limit = maxStates } = options
  const known = nothingKnown()
  const states = new Map<string, CrashState>()
  let moments = 0
  let raw = 0
  let cut = 0
  const image = options.image ?? { folders: ['/srv'], files: new Map() }
  const disk = memoryDisk({
    ...options,
    image,
    onChange(call, path) {
      moments += 1
      const { images, complete } = disk.crashStates(limit)
      raw += images.length
      if (!complete) cut += 1
      const returned = known.acknowledged.length
      for (const state of images) {
        const key = `${returned} ${keyOf(state)}`
        if (!states.has(key)) states.set(key, { image: state, returned, call: `${call} ${path}` })
      }
    },
  })
  await run(() => wrap(createFileStorage(root, disk.fs)), known)
  // Everything has returned: the current state of the disk must be enough.
  for (const state of disk.crashStates(limit).images)
    states.set(`end ${keyOf(state)}`, { image: state, returned: known.acknowledged.length, call: 'the end' })
  return { states: [...states.values()], moments, raw, cut, known }
}

/** Recovers from every state; the texts name the call before the crash and what was wrong after it. */
export async function violationsOf(
  { states, known }: Pick<CrashRun, 'states' | 'known'>,
  summarize: (storage: Storage, known: Known, returned: number) => Promise<string[]> = faultsOf,
): Promise<string[]> {
  const violations: string[] = []
  for (let start = 0; start < states.length; start += parallel) {
    const batch = states.slice(start, start + parallel)
    const faults = await Promise.all(
      batch.map(({ image, returned }) => {
        // Only this recovery knows the save that ends it.
        return summarize(recoveringStorage(image), copyOf(known), returned)
      }),
    )
    for (const [index, texts] of faults.entries())
      for (const text of texts) violations.push(`crash after ${batch[index]?.call}: ${text}`)
  }
  return violations
}

const ids = new WeakMap<Uint8Array, string>()

function keyOf({ folders, files }: DiskImage): string {
  const hash = createHash('sha1')
  for (const folder of folders) hash.update(`${folder}\n`)
  for (const [path, bytes] of files) {
    const id = ids.get(bytes) ?? createHash('sha1').update(bytes).digest('hex')
    ids.set(bytes, id)
    hash.update(`${path} ${id}\n`)
  }
  return hash.digest('hex')
}
