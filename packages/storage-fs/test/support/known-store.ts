import { createHash } from 'node:crypto'
import { isDeepStrictEqual as same } from 'node:util'
import { bundleStore, type Checkpoint, type ContextBundle, type Storage } from '@tenfold/core'
import { checkpointStore } from '@tenfold/core/store'
import { bundleNumber, checkpointNumber, sampleLog } from '../../../../tools/soak/samples.ts'

/** What was put into a store and what of it was acknowledged, to check the store by after a crash. */
export interface Known {
  readonly bundles: Map<string, ContextBundle>
  readonly checkpoints: Map<string, Checkpoint>
  /** Digest of every value that a put was called with, by its key. */
  readonly values: Map<string, Set<string>>
  /** What returned, in its order. */
  readonly acknowledged: Acknowledged[]
}

/** A call that returned: the id of a bundle or checkpoint, the digest of an archive, the key of a put. */
type Acknowledged =
  | {
      readonly kind: 'bundle' | 'checkpoint'
      readonly id: string
      readonly track: string
    }
  | { readonly kind: 'archive'; readonly sha256: string }
  | { readonly kind: 'put'; readonly key: string }

export function nothingKnown(): Known {
  return { bundles: new Map(), checkpoints: new Map(), values: new Map(), acknowledged: [] }
}

/** What is known so far, for a run whose later calls no other run sees. */
export function copyOf({ bundles, checkpoints, values, acknowledged }: Known): Known {
  return {
    bundles: new Map(bundles),
    checkpoints: new Map(checkpoints),
    values: new Map([...values].map(([key, digests]) => [key, new Set(digests)])),
    acknowledged: [...acknowledged],
  }
}

const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** The storage, noting every value that is put. */
function noting(storage: Storage, known: Known): Storage {
  return {
    ...storage,
    async put(key, bytes, condition) {
      const values = known.values.get(key) ?? new Set()
      known.values.set(key, values.add(digestOf(bytes)))
      return await storage.put(key, bytes, condition)
    },
  }
}

/** Saves and archives in a store, and notes every attempt and every call that returned. */
export function knownStore(storage: Storage, known: Known) {
  const noted = noting(storage, known)
  const bundles = bundleStore(noted)
  const checkpoints = checkpointStore(noted)
  return {
    async save(n: number, track?: string): Promise<void> {
      const bundle = bundleNumber(n, track)
      known.bundles.set(bundle.id, bundle)
      const { id, track: name } = await bundles.save(bundle)
      known.acknowledged.push({ kind: 'bundle', id, track: name })
    },
    async checkpoint(n: number, track?: string): Promise<void> {
      const checkpoint = checkpointNumber(n, track)
      known.checkpoints.set(checkpoint.id, checkpoint)
      const { id, track: name } = await checkpoints.save(checkpoint)
      known.acknowledged.push({ kind: 'checkpoint', id, track: name })
    },
    async archive(content: string): Promise<void> {
      const { log, source } = sampleLog(content)
      const { sha256 } = await bundles.archive(log, source)
      known.acknowledged.push({ kind: 'archive', sha256 })
    },
  }
}

/**
 * Faults of a store, which must have at least the first `count` of the acknowledged calls; empty if it is healthy.
 * Ends with one more save of each kind, which must work.
 */
export async function faultsOf(
  storage: Storage,
  known: Known,
  count = known.acknowledged.length,
): Promise<string[]> {
  const faults: string[] = []
  const check = async (what: string, run: () => Promise<void>): Promise<void> => {
    try {
      await run()
    } catch (error) {
      faults.push(`${what}: ${error instanceof Error ? error.message : error}`)
    }
  }
  const acknowledged = known.acknowledged.slice(0, count)
  await check('values', () => checkValues(storage, known))
  await check('archives', () => checkArchives(storage, acknowledged))
  await check('bundles', () => checkBundles(storage, known, acknowledged))
  await check('checkpoints', () => checkCheckpoints(storage, known, acknowledged))
  return faults
}

function assert(holds: boolean, fault: string): void {
  if (!holds) throw new Error(fault)
}

/** Nothing can be read that was not put as a whole. */
async function checkValues(storage: Storage, known: Known): Promise<void> {
  for await (const { key, size } of storage.list('')) {
    const bytes = (await storage.get(key))?.bytes
    assert(bytes !== undefined && bytes.byteLength === size, `${key} is listed but not whole`)
    assert(
      known.values.get(key)?.has(digestOf(bytes ?? new Uint8Array())) === true,
      `${key} was never put so`,
    )
  }
}

/** Every stored list of files names existing files, and everything acknowledged is stored. */
async function checkArchives(storage: Storage, acknowledged: readonly Acknowledged[]): Promise<void> {
  const store = bundleStore(storage)
  const there = new Set<string>()
  for await (const { key } of storage.list('archive/')) {
    const [, sha256] = /^archive\/([0-9a-f]{64})\.sums$/.exec(key) ?? []
    if (sha256 === undefined) continue
    for await (const file of store.readArchive(sha256)) for await (const _ of file.blocks());
    there.add(sha256)
  }
  for (const call of acknowledged)
    if (call.kind === 'archive') assert(there.has(call.sha256), `lost archive ${call.sha256}`)
}

// Numbers of the saves that end a check; each store that is checked is thrown away.
let nextSave = 900_000

async function checkBundles(
  storage: Storage,
  known: Known,
  acknowledged: readonly Acknowledged[],
): Promise<void> {
  const store = bundleStore(noting(storage, known))
  for (const track of tracksOf(known.bundles)) {
    const history = await store.history(track)
    assertHistory(track, 'bundle', history, acknowledged)
    for (const { id } of history)
      assert(same(await store.load(id), known.bundles.get(id)), `bundle ${id} is not what was saved`)
    const latest = await store.latest(track)
    assert(latest?.entry.id === history.at(-1)?.id, `LATEST of ${track} is not the last`)
    assert(
      latest === undefined || same(latest.bundle, known.bundles.get(latest.bundle.id)),
      'LATEST is another',
    )
    const saved = await store.save(bundleNumber(nextSave++, track))
    assert(saved.warning === undefined, `the next save warns: ${saved.warning}`)
    const now = await store.latest(track)
    assert(now?.entry.id === saved.id && now.repaired === undefined, 'the next save is not LATEST')
    await assertCopy(storage, `tracks/${track}/LATEST.json`, saved.key)
    await assertCopy(storage, `tracks/${track}/LATEST.md`, saved.markdownKey)
  }
}

async function checkCheckpoints(
  storage: Storage,
  known: Known,
  acknowledged: readonly Acknowledged[],
): Promise<void> {
  const store = checkpointStore(noting(storage, known))
  for (const track of tracksOf(known.checkpoints)) {
    const history = (await store.list({ track })).reverse()
    assertHistory(track, 'checkpoint', history, acknowledged)
    for (const { id } of history)
      assert(same(await store.load(id), known.checkpoints.get(id)), `checkpoint ${id} is not what was saved`)
    const latest = await store.latest(track)
    assert(latest?.entry.id === history.at(-1)?.id, `the LATEST checkpoint of ${track} is not the last`)
    const saved = await store.save(checkpointNumber(nextSave++, track))
    assert(saved.warning === undefined, `the next checkpoint warns: ${saved.warning}`)
    const now = await store.latest()
    assert(now?.checkpoint.id === saved.id && now.repaired === undefined, 'the next checkpoint is not LATEST')
  }
}

function tracksOf(saves: ReadonlyMap<string, { readonly track: string }>): Set<string> {
  return new Set([...saves.values()].map(({ track }) => track))
}

function assertHistory(
  track: string,
  kind: 'bundle' | 'checkpoint',
  history: readonly { readonly id: string }[],
  acknowledged: readonly Acknowledged[],
): void {
  const ids = history.map(({ id }) => id)
  assert(ids.join() === [...new Set(ids)].sort().join(), `the history of ${track} is not in order`)
  for (const call of acknowledged)
    if (call.kind === kind && call.track === track)
      assert(ids.includes(call.id), `lost ${kind} ${call.id} of ${track}`)
}

async function assertCopy(storage: Storage, key: string, of: string): Promise<void> {
  const [copy, original] = [await storage.get(key), await storage.get(of)]
  assert(
    copy !== undefined && original !== undefined && Buffer.compare(copy.bytes, original.bytes) === 0,
    `${key} is not a copy of ${of}`,
  )
}
