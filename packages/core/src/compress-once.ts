import type { ContextBundle } from './bundle/schema.ts'
import { type CompressLogOptions, checkCompressOptions, compressLetGo, compressLog } from './compress-log.ts'
import type { CompressedBundle, CompressedLog } from './finish-log.ts'
import { DoneElsewhere, type DoneWork, openLedger } from './ledger/ledger.ts'
import { workDigest, workDigests } from './ledger/work-digest.ts'
import {
  type HeldLease,
  isHeld,
  type LeaseOptions,
  mayBill,
  underLease,
  withWorkLease,
} from './ledger/work-lease.ts'
import { isOpenLog, type LogInput, type OpenLog, openLog } from './readers/open-log.ts'
import { digestLog } from './readers/read-session.ts'
import type { BundleStore } from './store/bundle-store.ts'

/** Options of `compressLog`, and how to treat work that was done before. */
export interface CompressOnceOptions extends CompressLogOptions {
  /** Holds the record of compressed logs, and receives the bundle. */
  readonly store: BundleStore
  /** Compress the log even if it was done before. @default false */
  readonly again?: boolean | undefined
  /**
   * How other runs are kept from paying for the same log at the same time (ignored with `again`), or a lease that the
   * caller holds.
   */
  readonly lease?: LeaseOptions | HeldLease | undefined
  /**
   * Save only one bundle even if several machines compress the same log at the same time: the first that is ready.
   * @default false
   */
  readonly exclusive?: boolean | undefined
  /** See {@link LetGoOptions}. @default true */
  readonly keepSession?: true | undefined
}

/**
 * Options of {@link compressOnce} that release the session before anything is stored, because that of a large log takes
 * most of the memory. Only its notes are returned.
 */
export interface LetGoOptions extends Omit<CompressOnceOptions, 'keepSession'> {
  /** Release the session once the bundle is made. */
  readonly keepSession: false
}

/**
 * Compresses a log like `compressLog`, unless the store records that it was compressed with the same options before.
 * Then it returns that record, and archives the log if the archive is missing, as in a clone. So a run that was killed
 * can be repeated, and nothing is paid twice. If another run is paying a model for the same work, it waits for that
 * run's bundle.
 */
export function compressOnce(
  input: LogInput | OpenLog,
  options: LetGoOptions,
): Promise<CompressedBundle | { readonly known: DoneWork }>
export function compressOnce(
  input: LogInput | OpenLog,
  options: CompressOnceOptions,
): Promise<CompressedLog | { readonly known: DoneWork }>
export async function compressOnce(
  input: LogInput | OpenLog,
  { again = false, lease, ...options }: CompressOnceOptions | LetGoOptions,
): Promise<Once> {
  checkCompressOptions(options)
  const { name, format, readers, maxLogBytes, signal, store } = options
  const log = isOpenLog(input) ? input : await openLog(input, { name, format, readers, maxLogBytes })
  const compress = (held?: HeldLease) =>
    compressAndEnter(log, held, again ? { ...options, exclusive: false } : options)
  if (again) return await compress(isHeld(lease) ? lease : undefined)
  const sha256 = await digestLog(log, { format, readers, signal })
  const digests = workDigests(sha256, { ...options, session: log.sessionId })
  const ledger = openLedger(store)
  for (const digest of digests) {
    const done = await ledger.find(digest)
    if (done === undefined) continue
    if (options.archive !== false) {
      const { restoreArchive } = await import('./ledger/restore-archive.ts')
      await restoreArchive(store, done, { sha256, open: async () => log }, options)
    }
    return { known: done }
  }
  if (isHeld(lease)) return await compress(lease)
  if (![options.summarizer].flat().some(mayBill)) return await compress()
  return await withWorkLease<Once>(store, digests[0], { ...lease, signal }, compress)
}

type Once = CompressedLog | CompressedBundle | { readonly known: DoneWork }

async function compressAndEnter(
  log: OpenLog,
  held: HeldLease | undefined,
  { exclusive = false, keepSession = true, ...given }: Omit<CompressOnceOptions | LetGoOptions, 'lease'>,
): Promise<Once> {
  const { summarizer } = given
  const signals = [given.signal, held?.signal].filter((signal) => signal !== undefined)
  const leased = held && { signal: AbortSignal.any(signals), summarizer: underLease(summarizer, held) }
  const options = { ...given, ...leased }
  const ledger = openLedger(options.store)
  const request = { ...options, session: log.sessionId }
  // If the log grows meanwhile, the entry is for the part that was read.
  const digestOf = ({ source }: ContextBundle) => workDigest(source.sha256, request)
  const store = ledger.recording(digestOf, { exclusive })
  try {
    const compress = keepSession ? compressLog : compressLetGo
    const compressed = await compress(log, { ...options, store })
    const { bundle, stored } = compressed
    if (stored === undefined) await ledger.enterUnstored(digestOf(bundle), bundle)
    return compressed
  } catch (error) {
    if (error instanceof DoneElsewhere) return { known: error.work }
    throw error
  }
}
