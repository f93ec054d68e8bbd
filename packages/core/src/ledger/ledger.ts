import * as z from 'zod/mini'
import { parseBundle } from '../bundle/parse-bundle.ts'
import { bundleSchema, type ContextBundle } from '../bundle/schema.ts'
import { known } from '../session/known.ts'
import { lazySchema } from '../session/lazy-schema.ts'
import { putIfAbsent } from '../storage/put-if-absent.ts'
import type { Storage } from '../storage/storage.ts'
import { decodeJson, encodeJson, parseStoredJson } from '../storage/stored-json.ts'
import type { BundleStore } from '../store/bundle-store.ts'
import { bundleKey, claimKey, doneKey, parseWorkKey, startedKey, workPrefix } from '../store/keys.ts'
import type { SavedBundle } from '../store/save-to-store.ts'

const count = lazySchema(() => z.int().check(z.nonnegative()))

const doneWorkSchema = lazySchema(() => {
  const { id, track, createdAt, compression } = bundleSchema.shape
  return z.object({
    schemaVersion: z.literal(1),
    id,
    track,
    createdAt,
    format: z.string(),
    sessionId: z.string(),
    sourceTokens: count,
    bundleTokens: count,
    summarizer: z.string(),
    model: z.optional(z.string()),
    cost: compression.shape.cost,
    /** Set if the session left nothing to remember, so that its bundle was not stored. */
    stored: z.optional(z.literal(false)),
  })
})

/** What the ledger says about a log that was compressed as requested: its bundle, with the sizes and the cost. */
export type DoneWork = z.infer<typeof doneWorkSchema>

/**
 * Remembers in the store which logs were compressed, by the digests of {@link workDigest}. Each entry is a file of its
 * own, written once and named after its bundle: machines that share a store through Git never write the same one.
 */
export interface Ledger {
  /**
   * Returns the finished work of a digest. A save that was interrupted after the bundle was written is completed first,
   * unless `readOnly` is set.
   */
  find(digest: string, options?: { readonly readOnly?: boolean }): Promise<DoneWork | undefined>
  /**
   * The store whose saves are entered, each under the digest that `digestOf` gives for its bundle. If `exclusive` is set,
   * only one save of a digest succeeds, however many machines try: the others throw {@link DoneElsewhere}.
   */
  recording(
    digestOf: (bundle: ContextBundle) => string,
    options?: { readonly exclusive?: boolean },
  ): BundleStore
  /** Enters work whose bundle was not stored, so that it is not done and paid again. */
  enterUnstored(digest: string, bundle: ContextBundle): Promise<void>
}

/** Another machine saved a bundle of the same work first. */
export class DoneElsewhere extends Error {
  readonly work: DoneWork

  constructor(work: DoneWork) {
    super(`${work.id} was made from the same log by another machine`)
    this.work = work
  }
}

/** Opens the ledger of a store. An empty one costs nothing. */
export function openLedger(store: BundleStore): Ledger {
  const { storage } = store

  async function enter(digest: string, bundle: ContextBundle): Promise<void> {
    await putIfAbsent(storage, doneKey(digest, bundle.id), encodeJson(doneWorkOf(bundle)))
    await storage.delete(startedKey(digest, bundle.id))
  }

  /** Saves and enters the bundle of a claim, whoever made it. */
  async function complete(digest: string, bundle: ContextBundle): Promise<SavedBundle> {
    const saved = await store.save(bundle)
    await putIfAbsent(storage, doneKey(digest, bundle.id), encodeJson(doneWorkOf(bundle)))
    await storage.delete(claimKey(digest))
    return saved
  }

  /**
   * Puts the bundle that a digest gets, unless another is there: once one is, any machine can complete it. A claim goes
   * when it is entered, so whoever claims after that finds the entry.
   */
  async function saveFirst(digest: string, bundle: ContextBundle): Promise<SavedBundle> {
    const first = await putIfAbsent(storage, claimKey(digest), encodeJson(parseBundle(bundle)))
    const other = first ? undefined : await readClaim(storage, digest)
    const { done } = await listWork(storage, digest)
    const entered = done[0] === undefined ? undefined : await readDone(storage, digest, done[0])
    if (entered !== undefined) {
      if (first) await storage.delete(claimKey(digest))
      throw new DoneElsewhere(entered)
    }
    if (other === undefined && !first) return await saveFirst(digest, bundle)
    const saved = await complete(digest, other ?? bundle)
    if (other !== undefined && other.id !== bundle.id) throw new DoneElsewhere(doneWorkOf(other))
    return saved
  }

  return {
    async find(digest, { readOnly = false } = {}) {
      const { done, started, claimed } = await listWork(storage, digest)
      const newest = done.at(-1)
      const entered = readOnly ? [] : started.filter((bundleId) => done.includes(bundleId))
      for (const bundleId of entered) await storage.delete(startedKey(digest, bundleId))
      if (newest !== undefined) {
        if (claimed && !readOnly) await storage.delete(claimKey(digest))
        return await readDone(storage, digest, newest)
      }
      const claim = claimed ? await readClaim(storage, digest) : undefined
      if (claim !== undefined) {
        if (!readOnly) await complete(digest, claim)
        return doneWorkOf(claim)
      }
      for (const bundleId of started) {
        const bundle = await readBundle(storage, bundleId)
        if (!readOnly && bundle === undefined) await storage.delete(startedKey(digest, bundleId))
        if (bundle === undefined) continue
        if (!readOnly) {
          await store.save(bundle)
          await enter(digest, bundle)
        }
        return doneWorkOf(bundle)
      }
      return undefined
    },
    recording: (digestOf, { exclusive = false } = {}) => ({
      ...store,
      async save(bundle, options) {
        const digest = digestOf(bundle)
        options?.signal?.throwIfAborted()
        if (exclusive) return await saveFirst(digest, bundle)
        // If this process is killed during the save, the next run finds the bundle by this entry and completes it.
        await putIfAbsent(storage, startedKey(digest, bundle.id), encodeJson({ schemaVersion: 1 }))
        const saved = await store.save(bundle, options)
        await enter(digest, bundle)
        return saved
      },
    }),
    async enterUnstored(digest, bundle) {
      const work: DoneWork = { ...doneWorkOf(bundle), stored: false }
      await putIfAbsent(storage, doneKey(digest, bundle.id), encodeJson(work))
    },
  }
}

async function readClaim(storage: Storage, digest: string): Promise<ContextBundle | undefined> {
  const key = claimKey(digest)
  const stored = await storage.get(key)
  return stored && parseBundle(parseStoredJson(key, stored.bytes))
}

interface ListedWork {
  readonly done: string[]
  readonly started: string[]
  readonly claimed: boolean
}

/** Ids of bundles of a digest, oldest first: of those entered, and of those whose save has only started. */
async function listWork(storage: Storage, digest: string): Promise<ListedWork> {
  const done: string[] = []
  const started: string[] = []
  let claimed = false
  for await (const { key } of storage.list(workPrefix(digest))) {
    if (key === claimKey(digest)) claimed = true
    const work = parseWorkKey(key)
    if (work !== undefined) (work.started ? started : done).push(work.bundleId)
  }
  return { done, started, claimed }
}

async function readDone(storage: Storage, digest: string, bundleId: string): Promise<DoneWork | undefined> {
  const key = doneKey(digest, bundleId)
  const stored = await storage.get(key)
  return stored && decodeDone(key, stored.bytes)
}

/** Throws StorageError if the entry is damaged. */
export function decodeDone(key: string, bytes: Uint8Array): DoneWork {
  return decodeJson(key, bytes, doneWorkSchema)
}

async function readBundle(storage: Storage, bundleId: string): Promise<ContextBundle | undefined> {
  const key = bundleKey(bundleId)
  const stored = await storage.get(key)
  return stored && decodeBundle(key, stored.bytes)
}

/** Throws StorageError or InvalidBundleError if the bundle is damaged. */
export function decodeBundle(key: string, bytes: Uint8Array): ContextBundle {
  return parseBundle(parseStoredJson(key, bytes))
}

export function doneWorkOf({ id, track, createdAt, source, compression }: ContextBundle): DoneWork {
  const { sourceTokens, bundleTokens, summarizer, model, cost } = compression
  return {
    schemaVersion: 1,
    id,
    track,
    createdAt,
    format: source.format,
    sessionId: source.sessionId,
    sourceTokens,
    bundleTokens,
    summarizer,
    ...known({ model, cost }),
  }
}
