import { isDeepStrictEqual } from 'node:util'
import * as z from 'zod/mini'
import { parseBundle } from '../bundle/parse-bundle.ts'
import { bundleSchema, type ContextBundle } from '../bundle/schema.ts'
import { known } from '../session/known.ts'
import { lazySchema } from '../session/lazy-schema.ts'
import { inParallel } from '../storage/in-parallel.ts'
import { putIfAbsent } from '../storage/put-if-absent.ts'
import type { Storage } from '../storage/storage.ts'
import { decodeJson, encodeJson, parseStoredJson } from '../storage/stored-json.ts'
import type { BundleStore } from '../store/bundle-store.ts'
import {
  bundleKey,
  claimKey,
  doneKey,
  ledgerPrefix,
  parseWorkKey,
  startedKey,
  workPrefix,
} from '../store/keys.ts'
import type { SavedBundle } from '../store/save-to-store.ts'
import { getDecoded } from '../store/track-store.ts'
import { type StoreFinding, storeCheck } from '../store/verify/store-finding.ts'

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
    /** False if the session had nothing worth storing, so that its bundle was not stored. */
    stored: z.optional(z.literal(false)),
  })
})

/** The ledger's record of a compressed log: its bundle, with the sizes and the cost. */
export type DoneWork = z.infer<typeof doneWorkSchema>

export class DoneElsewhere extends Error {
  readonly work: DoneWork

  constructor(work: DoneWork) {
    super(`${work.id} was made from the same log by another machine`)
    this.work = work
  }
}

/**
 * Records in the store which logs were compressed, by the digests of {@link workDigest}. Each entry is a separate file,
 * written once and named after its bundle, so machines that share a store through Git never write the same file.
 */
export function openLedger(store: BundleStore) {
  const { storage } = store

  async function read<T>(key: string, decode: (key: string, bytes: Uint8Array) => T): Promise<T | undefined> {
    const stored = await storage.get(key)
    return stored && decode(key, stored.bytes)
  }

  /** Enters a saved bundle, and deletes the key that announced it. */
  async function enter(digest: string, bundle: ContextBundle, promise: string): Promise<void> {
    await putIfAbsent(storage, doneKey(digest, bundle.id), encodeJson(doneWorkOf(bundle)))
    await storage.delete(promise)
  }

  /** Saves and enters the bundle of a claim, which may be of another machine. */
  async function complete(digest: string, bundle: ContextBundle): Promise<SavedBundle> {
    const saved = await store.save(bundle)
    await enter(digest, bundle, claimKey(digest))
    return saved
  }

  /**
   * Claims a digest for a bundle, unless it has a claim: then any machine can complete that one. A claim is deleted
   * only after its bundle is entered, so whoever claims later finds the entry.
   */
  async function saveFirst(digest: string, bundle: ContextBundle): Promise<SavedBundle> {
    const claim = claimKey(digest)
    const first = await putIfAbsent(storage, claim, encodeJson(parseBundle(bundle)))
    const other = first ? undefined : await read(claim, decodeBundle)
    const [oldest] = (await listWork(storage, digest)).done
    const entered = oldest === undefined ? undefined : await read(doneKey(digest, oldest), decodeDone)
    if (entered !== undefined) {
      if (first) await storage.delete(claim)
      throw new DoneElsewhere(entered)
    }
    if (other === undefined && !first) return await saveFirst(digest, bundle)
    const saved = await complete(digest, other ?? bundle)
    if (other !== undefined && other.id !== bundle.id) throw new DoneElsewhere(doneWorkOf(other))
    return saved
  }

  return {
    /**
     * Returns the finished work of a digest. Completes a save that was interrupted after the bundle was written, unless
     * `readOnly` is set.
     */
    async find(digest: string, { readOnly = false } = {}): Promise<DoneWork | undefined> {
      const { done, started, claimed } = await listWork(storage, digest)
      const drop = async (key: string): Promise<void> => {
        if (!readOnly) await storage.delete(key)
      }
      for (const bundleId of started) if (done.includes(bundleId)) await drop(startedKey(digest, bundleId))
      const newest = done.at(-1)
      if (newest !== undefined) {
        if (claimed) await drop(claimKey(digest))
        return await read(doneKey(digest, newest), decodeDone)
      }
      const claim = claimed ? await read(claimKey(digest), decodeBundle) : undefined
      if (claim !== undefined) {
        if (!readOnly) await complete(digest, claim)
        return doneWorkOf(claim)
      }
      for (const bundleId of started) {
        const promise = startedKey(digest, bundleId)
        const bundle = await read(bundleKey(bundleId), decodeBundle)
        if (bundle === undefined) await drop(promise)
        else if (!readOnly) {
          await store.save(bundle)
          await enter(digest, bundle, promise)
        }
        if (bundle !== undefined) return doneWorkOf(bundle)
      }
      return undefined
    },
    /**
     * A store that enters each saved bundle under `digestOf(bundle)`. With `exclusive`, only one save of a digest
     * succeeds, however many machines try: the others throw {@link DoneElsewhere}.
     */
    recording: (digestOf: (bundle: ContextBundle) => string, { exclusive = false } = {}): BundleStore => ({
      ...store,
      async save(bundle, options) {
        const digest = digestOf(bundle)
        options?.signal?.throwIfAborted()
        if (exclusive) return await saveFirst(digest, bundle)
        // If this process is killed during the save, the next run finds the bundle by this key and completes it.
        const promise = startedKey(digest, bundle.id)
        await putIfAbsent(storage, promise, encodeJson({ schemaVersion: 1 }))
        const saved = await store.save(bundle, options)
        await enter(digest, bundle, promise)
        return saved
      },
    }),
    /** Enters work whose bundle was not stored, so that it is not repeated and paid again. */
    async enterUnstored(digest: string, bundle: ContextBundle): Promise<void> {
      const work: DoneWork = { ...doneWorkOf(bundle), stored: false }
      await putIfAbsent(storage, doneKey(digest, bundle.id), encodeJson(work))
    },
  }
}

async function listWork(storage: Storage, digest: string) {
  const done: string[] = []
  const started: string[] = []
  let claimed = false
  for await (const { key } of storage.list(workPrefix(digest), { sizes: false })) {
    if (key === claimKey(digest)) claimed = true
    const work = parseWorkKey(key)
    if (work !== undefined) (work.started ? started : done).push(work.bundleId)
  }
  return { done, started, claimed }
}

function decodeDone(key: string, bytes: Uint8Array): DoneWork {
  return decodeJson(key, bytes, doneWorkSchema)
}

function decodeBundle(key: string, bytes: Uint8Array): ContextBundle {
  return parseBundle(parseStoredJson(key, bytes))
}

function doneWorkOf({ id, track, createdAt, source, compression }: ContextBundle): DoneWork {
  const { sourceTokens, bundleTokens, summarizer, model, cost } = compression
  const { format, sessionId } = source
  return {
    schemaVersion: 1,
    ...{ id, track, createdAt, format, sessionId, sourceTokens, bundleTokens, summarizer },
    ...known({ model, cost }),
  }
}

const parallelReads = 8

/**
 * Checks that each entry of the ledger can be read and agrees with its bundle; a log with a bad entry fails or is paid
 * again. Throws StorageError if the storage fails.
 */
export async function verifyLedger(
  storage: Storage,
  options: { readonly signal?: AbortSignal | undefined } = {},
): Promise<readonly StoreFinding[]> {
  const findings: StoreFinding[] = []
  const check = storeCheck(storage, findings, false)
  const keys: string[] = []
  for await (const { key } of storage.list(ledgerPrefix, { sizes: false })) keys.push(key)
  await inParallel(keys, parallelReads, async (key) => {
    options.signal?.throwIfAborted()
    const work = parseWorkKey(key)
    const done = work?.started === false ? await getDecoded(storage, key, decodeDone) : undefined
    if (work === undefined || done === undefined) return
    if (done instanceof Error) return check.fault('ledger-damaged', key, done.message)
    const saved = bundleKey(work.bundleId)
    const bundle = await getDecoded(storage, saved, decodeBundle)
    // Faults of a bundle are reported with the bundle; one that was pruned or never stored is not here.
    if (bundle === undefined || bundle instanceof Error || isDeepStrictEqual(done, doneWorkOf(bundle))) return
    await check.warn('ledger-differs', key, `${key} differs from ${saved}`)
  })
  return findings
}
