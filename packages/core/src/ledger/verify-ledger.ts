import { isDeepStrictEqual } from 'node:util'
import { inParallel } from '../storage/in-parallel.ts'
import type { Storage } from '../storage/storage.ts'
import { decodeOrFault } from '../storage/stored-json.ts'
import { bundleKey, ledgerPrefix, parseWorkKey } from '../store/keys.ts'
import { type StoreFinding, storeCheck } from '../store/verify/store-finding.ts'
import { decodeBundle, decodeDone, doneWorkOf } from './ledger.ts'

const parallelReads = 8

/**
 * Checks every entry of the ledger, without which a log fails or is compressed and paid again: that it can be read, and
 * that it says of a bundle of this store what the bundle says. Throws StorageError if the storage fails.
 */
export async function verifyLedger(
  storage: Storage,
  options: { readonly signal?: AbortSignal | undefined } = {},
): Promise<readonly StoreFinding[]> {
  const findings: StoreFinding[] = []
  const check = storeCheck(storage, findings, false)
  const keys: string[] = []
  for await (const { key } of storage.list(ledgerPrefix)) keys.push(key)
  await inParallel(keys, parallelReads, async (key) => {
    options.signal?.throwIfAborted()
    const work = parseWorkKey(key)
    const stored = work?.started === false ? await storage.get(key) : undefined
    if (work === undefined || stored === undefined) return
    const done = decodeOrFault(() => decodeDone(key, stored.bytes))
    if (done instanceof Error) return check.fault('ledger-damaged', key, done.message)
    const saved = await storage.get(bundleKey(work.bundleId))
    const bundle = saved && decodeOrFault(() => decodeBundle(bundleKey(work.bundleId), saved.bytes))
    // What is wrong with a bundle is reported with the bundle; one that was pruned or never stored is not here.
    if (bundle === undefined || bundle instanceof Error || isDeepStrictEqual(done, doneWorkOf(bundle))) return
    await check.warn('ledger-differs', key, `${key} differs from ${bundleKey(work.bundleId)}`)
  })
  return findings
}
