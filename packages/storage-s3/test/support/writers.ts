import { bundleStore, type ContextBundle, type SavedBundle, type Storage, TenfoldError } from '@tenfold/core'
import { sampleBundle } from '@tenfold/core/testing'
import { expect } from 'vitest'

let bundles = 0

/** A new bundle on track `main`. */
export function newBundle(): ContextBundle {
  bundles += 1
  const id = `20260304T050607089Z-${String(bundles).padStart(9, '0')}`
  return sampleBundle({ id, summary: `Bundle ${bundles}.` })
}

export interface WritersResult {
  readonly acknowledged: readonly SavedBundle[]
  /** Saves that failed for good after three tries. */
  readonly failed: readonly TenfoldError[]
}

export interface WritersOptions {
  readonly writers: number
  readonly saves: number
  /** The storage that is checked in the end. @default another one that `open` returns */
  readonly look?: () => Storage | Promise<Storage>
  /** `behind` if listings may miss what is new: then a reader may get a bundle that is not the newest. */
  readonly lists?: 'all' | 'behind'
}

/**
 * Lets writers, each with a storage of its own, save to one track at once and read LATEST in between, and then compares
 * the store with what they were told: nothing acknowledged is lost, no bundle has two entries, no number is missing.
 */
export async function runWriters(
  open: () => Storage,
  { writers, saves, look = open, lists = 'all' }: WritersOptions,
): Promise<WritersResult> {
  const acknowledged: SavedBundle[] = []
  const failed: TenfoldError[] = []

  async function saveSurely(store: ReturnType<typeof bundleStore>, bundle: ContextBundle): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        acknowledged.push(await store.save(bundle))
        return
      } catch (error) {
        if (!TenfoldError.isInstance(error)) throw error
        expect(error, error.message).toMatchObject({ code: 'storage-failed', retryable: true })
        if (attempt < 3) continue
        failed.push(error)
        return
      }
    }
  }

  async function write(): Promise<void> {
    const store = bundleStore(open())
    for (let saved = 0; saved < saves; saved++) {
      await saveSurely(store, newBundle())
      const known = Math.max(0, ...acknowledged.map(({ sequence }) => sequence))
      try {
        const latest = await store.latest('main')
        if (known > 0 && lists === 'all')
          expect(latest?.entry.sequence, 'latest').toBeGreaterThanOrEqual(known)
      } catch (error) {
        if (!TenfoldError.isInstance(error)) throw error
        expect(error, error.message).toMatchObject({ retryable: true })
      }
    }
  }

  await Promise.all(Array.from({ length: writers }, write))

  const store = bundleStore(await look())
  const history = await store.history('main')
  const sequences = history.map(({ sequence }) => sequence)
  expect(sequences, 'numbers without gaps').toEqual(sequences.map((_, index) => index + 1))
  expect(new Set(history.map(({ id }) => id)).size, 'one entry for each bundle').toBe(history.length)
  for (const { id, sequence } of acknowledged)
    expect(history[sequence - 1]?.id, 'an acknowledged save').toBe(id)
  for (const { id } of history) expect((await store.load(id)).id, 'a bundle of the history').toBe(id)
  // If a store fails often enough, all writers may have given up.
  expect((await store.latest('main'))?.entry.sequence, 'latest at the end').toBe(history.at(-1)?.sequence)
  return { acknowledged, failed }
}
