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
  /** What a writer saves. @default a new bundle */
  readonly take?: () => ContextBundle
  /** `behind` if listings may miss what is new: then a reader may get a bundle that is not the newest. */
  readonly lists?: 'all' | 'behind'
}

/**
 * Lets writers, each with a storage of its own, save to one track at once and read LATEST in between, and then compares
 * the store with what they reported: nothing acknowledged is lost, and no bundle has two entries.
 */
export async function runWriters(
  open: () => Storage,
  { writers, saves, look = open, lists = 'all', take = newBundle }: WritersOptions,
): Promise<WritersResult> {
  const acknowledged: SavedBundle[] = []
  const bundles: ContextBundle[] = []
  const failed: TenfoldError[] = []

  async function saveSurely(store: ReturnType<typeof bundleStore>, bundle: ContextBundle): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        acknowledged.push(await store.save(bundle))
        bundles.push(bundle)
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
      await saveSurely(store, take())
      const known = acknowledged
        .map(({ id }) => id)
        .sort()
        .at(-1)
      try {
        const latest = await store.latest('main')
        if (known !== undefined && lists === 'all')
          expect((latest?.entry.id ?? '') >= known, `latest ${latest?.entry.id} of ${known}`).toBe(true)
      } catch (error) {
        if (!TenfoldError.isInstance(error)) throw error
        expect(error, error.message).toMatchObject({ retryable: true })
      }
    }
  }

  await Promise.all(Array.from({ length: writers }, write))

  const store = bundleStore(await look())
  const history = await store.history('main')
  const ids = history.map(({ id }) => id)
  expect(ids, 'one entry for each bundle, in order').toEqual([...new Set(ids)].sort())
  for (const { id } of acknowledged) expect(ids, 'an acknowledged save').toContain(id)
  for (const bundle of bundles)
    expect((await store.load(bundle.id)).summary, 'an acknowledged bundle').toBe(bundle.summary)
  for (const { id } of history) expect((await store.load(id)).id, 'a bundle of the history').toBe(id)
  // If a store fails often enough, all writers may have given up.
  expect((await store.latest('main'))?.entry.id, 'latest at the end').toBe(ids.at(-1))
  return { acknowledged, failed }
}
