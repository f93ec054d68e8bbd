import type { ContextBundle } from './bundle/schema.ts'
import { type CompressLogOptions, checkCompressOptions, compressLetGo, compressLog } from './compress-log.ts'
import type { CompressedBundle, CompressedLog } from './finish-log.ts'
import { DoneElsewhere, type DoneWork, openLedger } from './ledger/ledger.ts'
import { workDigest } from './ledger/work-digest.ts'
import { digestLog } from './readers/digest-log.ts'
import { isOpenLog, type LogInput, type OpenLog, openLog } from './readers/open-log.ts'
import type { BundleStore } from './store/bundle-store.ts'

export interface CompressOnceOptions extends CompressLogOptions {
  readonly store: BundleStore
  /** Compress the log even if it was done before. @default false */
  readonly again?: boolean | undefined
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
  readonly keepSession: false
}

/**
 * Compresses a log like `compressLog`, unless the store says that this very log was compressed with these options
 * before: then it returns what it knows about that. So a run that was killed can be repeated, and nothing is paid twice.
 * Two runs at once are kept apart only if each calls it in `withWorkLease`.
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
  { again = false, exclusive = false, keepSession = true, ...options }: CompressOnceOptions | LetGoOptions,
): Promise<CompressedLog | CompressedBundle | { readonly known: DoneWork }> {
  checkCompressOptions(options)
  const { name, format, readers, maxLogBytes, signal } = options
  const log = isOpenLog(input) ? input : await openLog(input, { name, format, readers, maxLogBytes })
  const ledger = openLedger(options.store)
  const request = { ...options, session: log.sessionId }
  if (!again) {
    const sha256 = await digestLog(log, { format, readers, signal })
    const done = await ledger.find(workDigest(sha256, request))
    if (done !== undefined) return { known: done }
  }
  // A log that grows meanwhile is entered as what was read of it.
  const digestOf = ({ source }: ContextBundle) => workDigest(source.sha256, request)
  const store = ledger.recording(digestOf, { exclusive: exclusive && !again })
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
