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

/** As for `compressLog`, and what to do about work that was done before. */
export interface CompressOnceOptions extends CompressLogOptions {
  /** Where it is looked up whether the log was compressed, and where the bundle is saved. */
  readonly store: BundleStore
  /** Compress the log even if it was done before. @default false */
  readonly again?: boolean | undefined
  /**
   * How other runs are kept away from a log that a model is paid for, unless it is to be compressed again; or the
   * lease of the caller, who does so.
   */
  readonly lease?: LeaseOptions | HeldLease | undefined
  /**
   * Save no second bundle even if other machines compress the same log at this moment: the first one that is ready
   * counts.
   * @default false
   */
  readonly exclusive?: boolean | undefined
  /** See {@link LetGoOptions}. @default true */
  readonly keepSession?: true | undefined
}

/**
 * Options of {@link compressOnce} that let go of the session before anything is stored: that of a large log takes most
 * of the memory. Only its notes are returned.
 */
export interface LetGoOptions extends Omit<CompressOnceOptions, 'keepSession'> {
  /** Let the session go once the bundle is made. */
  readonly keepSession: false
}

/**
 * Compresses a log like `compressLog`, unless the store says that this very log was compressed with these options
 * before: then it returns what it knows about that, and archives the log if the store lacks its archive, as in a clone. So a run that was killed can be repeated, and nothing is paid twice.
 * While another run pays a model for the same work in this store, it waits for that one's bundle.
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
  // A log that grows meanwhile is entered as what was read of it.
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
