import { z } from 'zod'
import { bundleSchema, type ContextBundle, parseBundle } from '../bundle/schema.ts'
import { known } from '../session/known.ts'
import { putIfAbsent } from '../storage/put-if-absent.ts'
import type { Storage } from '../storage/storage.ts'
import { decodeJson, encodeJson, parseJson } from '../storage/stored-json.ts'
import { bundleKey } from '../store/bundle-keys.ts'
import type { BundleStore } from '../store/bundle-store.ts'

const count = z.number().int().nonnegative()
const { id, track, createdAt, compression } = bundleSchema.shape

const doneWorkSchema = z.object({
  schemaVersion: z.literal(1),
  id,
  track,
  createdAt,
  format: z.string(),
  sessionId: z.string(),
  sourceTokens: count,
  bundleTokens: count,
  summarizer: z.string(),
  model: z.string().optional(),
  cost: compression.shape.cost,
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
  /** The store whose saves are entered, each under the digest that `digestOf` gives for its bundle. */
  recording(digestOf: (bundle: ContextBundle) => string): BundleStore
}

/** Opens the ledger of a store. An empty one costs nothing. */
export function openLedger(store: BundleStore): Ledger {
  const { storage } = store

  async function enter(digest: string, bundle: ContextBundle): Promise<void> {
    await putIfAbsent(storage, doneKey(digest, bundle.id), encodeJson(doneWorkOf(bundle)))
    await storage.delete(startedKey(digest, bundle.id))
  }

  return {
    async find(digest, { readOnly = false } = {}) {
      const { done, started } = await listWork(storage, digest)
      const newest = done.at(-1)
      const entered = readOnly ? [] : started.filter((bundleId) => done.includes(bundleId))
      for (const bundleId of entered) await storage.delete(startedKey(digest, bundleId))
      if (newest !== undefined) return await readDone(storage, digest, newest)
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
    recording: (digestOf) => ({
      ...store,
      async save(bundle, options) {
        const digest = digestOf(bundle)
        // If this process is killed during the save, the next run finds the bundle by this entry and completes it.
        await putIfAbsent(storage, startedKey(digest, bundle.id), encodeJson({ schemaVersion: 1 }))
        const saved = await store.save(bundle, options)
        await enter(digest, bundle)
        return saved
      },
    }),
  }
}

const prefix = 'done/'

function doneKey(digest: string, bundleId: string): string {
  return `${prefix}${digest}/${bundleId}.json`
}

function startedKey(digest: string, bundleId: string): string {
  return `${prefix}${digest}/${bundleId}.started.json`
}

/** Ids of bundles of a digest, oldest first: of those entered, and of those whose save has only started. */
async function listWork(storage: Storage, digest: string): Promise<{ done: string[]; started: string[] }> {
  const done: string[] = []
  const started: string[] = []
  for await (const { key } of storage.list(`${prefix}${digest}/`)) {
    const [, bundleId, state] = /\/([^/.]+)(\.started)?\.json$/.exec(key) ?? []
    if (bundleId !== undefined) (state === undefined ? done : started).push(bundleId)
  }
  return { done, started }
}

async function readDone(storage: Storage, digest: string, bundleId: string): Promise<DoneWork | undefined> {
  const key = doneKey(digest, bundleId)
  const stored = await storage.get(key)
  return stored && decodeJson(key, stored.bytes, doneWorkSchema)
}

async function readBundle(storage: Storage, bundleId: string): Promise<ContextBundle | undefined> {
  const key = bundleKey(bundleId)
  const stored = await storage.get(key)
  return stored && parseBundle(parseJson(key, stored.bytes))
}

function doneWorkOf({ id, track, createdAt, source, compression }: ContextBundle): DoneWork {
  const { sourceTokens, bundleTokens, summarizer, model, cost } = compression
  return {
    schemaVersion: 1,
    ...{ id, track, createdAt },
    ...{ format: source.format, sessionId: source.sessionId },
    ...{ sourceTokens, bundleTokens, summarizer },
    ...known({ model, cost }),
  }
}
