import { stat } from 'node:fs/promises'
import { type BundleStore, bundleToMarkdown, type CompressOnceOptions } from '@tenfold/core'
import {
  cleanLine,
  type DoneWork,
  openLedger,
  restoreArchive,
  withWorkLease,
  workDigest,
  workDigests,
} from '@tenfold/core/internal'
import { type LogArgument, type OpenArgumentOptions, openArgument } from '../logs/gather-logs.ts'
import { type LogMemory, readIdentity } from '../logs/log-memory.ts'
import { failureOfLog } from '../terminal/failure.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { unlessFaulty } from '../terminal/thrown.ts'
import {
  type CompressWork,
  failedOutcome,
  type LibraryOptions,
  type LogOutcome,
  writeOut,
} from './compress-one.ts'
import type { CompressOptions } from './compress-options.ts'
import { runInOrder } from './run-in-order.ts'

export interface LogToCompress extends LogArgument {
  readonly digest?: string
}

export type ChosenLog =
  | LogToCompress
  | { readonly log: string; readonly known: DoneWork; readonly sha256: string }
  | { readonly log: string; readonly sameAs: string }

interface IdentifyOptions extends OpenArgumentOptions {
  readonly library: LibraryOptions
  readonly memory?: LogMemory | undefined
}

interface ChooseOptions extends IdentifyOptions {
  readonly store: BundleStore
  readonly readOnly: boolean
  readonly limit: number
  readonly onProgress: (done: number) => void
}

/** Logs opened at a time: the answers of a store in a bucket take long. */
const atATime = 8

export async function chooseLogs(
  logs: readonly LogArgument[],
  options: ChooseOptions,
): Promise<{ readonly chosen: ChosenLog[]; readonly left: number }> {
  const chosen: ChosenLog[] = []
  const first = new Map<string, string>()
  let todo = 0
  let left = 0
  let done = 0
  const choose = (log: LookedUp): void => {
    options.onProgress(++done)
    const digest = 'digest' in log ? log.digest : undefined
    const sameAs = digest === undefined ? undefined : first.get(digest)
    if ('known' in log) chosen.push(log)
    else if (sameAs !== undefined) chosen.push({ log: log.log, sameAs })
    else if (todo === options.limit) left += 1
    else {
      todo += 1
      if (digest !== undefined) first.set(digest, log.log)
      chosen.push(log)
    }
  }
  await runInOrder(logs, atATime, (log) => lookUp(log, options), choose)
  return { chosen, left }
}

type LookedUp = Exclude<ChosenLog, { sameAs: string }>

async function lookUp(argument: LogArgument, options: ChooseOptions): Promise<LookedUp> {
  const { store, readOnly, signal } = options
  const { log } = argument
  const look = async (): Promise<LookedUp> => {
    const identified = await identifyLog(argument, options)
    if (identified === undefined) return argument
    const { digest, others, bytes, sha256 } = identified
    const ledger = openLedger(store)
    for (const one of [digest, ...others]) {
      const known = await ledger.find(one, { readOnly })
      if (known !== undefined) return { log, known, sha256 }
    }
    return { ...argument, digest, bytes }
  }
  // What is wrong with the store is reported when the log is compressed.
  return await unlessFaulty(look(), argument, signal)
}

/** With others that it may have in the store; undefined if it cannot be told. */
async function identifyLog(
  argument: LogArgument,
  { library, memory, ...options }: IdentifyOptions,
): Promise<{ digest: string; sha256: string; others: readonly string[]; bytes: number } | undefined> {
  const { log, track, failure } = argument
  const { signal } = options
  if (failure !== undefined || signal.aborted || !(await canBeReadTwice(log))) return undefined
  // What is wrong with the log is reported when it is compressed.
  const reading = memory?.identify(argument) ?? readIdentity(log, options)
  const identity = await unlessFaulty(reading, undefined, signal)
  if (identity === undefined) return undefined
  const { sha256, sessionId, bytes } = identity
  const wanted = { ...library, session: sessionId }
  const [digest, ...same] = workDigests(sha256, { ...wanted, track: track ?? library.track })
  // A hook, or a run that named the log, gave it no track of its own.
  const untracked = track === undefined ? [] : [workDigest(sha256, wanted)]
  return { digest, sha256, others: [...same, ...untracked], bytes }
}

/** Stdin and pipes can be read only once, and the other logs must not wait for them. */
async function canBeReadTwice(log: string): Promise<boolean> {
  if (log === '-') return false
  // A session in a file, or a fault that is reported when the log is compressed.
  const info = await unlessFaulty(stat(log), undefined)
  return info === undefined || info.isFile() || info.isDirectory()
}

/** With `sha256`, its archive is restored if the store lost it. */
interface KnownLog {
  readonly log: string
  readonly known: DoneWork
  readonly sha256?: string | undefined
}

export async function knownLog(
  { log, known, sha256 }: KnownLog,
  { out, dryRun, archive, reading }: CompressOptions,
  { redactors, signal }: LibraryOptions,
  store: BundleStore,
): Promise<LogOutcome> {
  if (known.stored === false) return { log, known }
  try {
    if (sha256 !== undefined && archive && !dryRun) {
      const open = () => openArgument(log, { reading, signal })
      await restoreArchive(store, known, { sha256, open }, { redactors, signal })
    }
    if (out === undefined) return { log, known }
    const bundle = await store.load(known.id)
    if (out === '-') return { log, known, markdown: bundleToMarkdown(bundle) }
    if (!dryRun) await writeOut(out, bundle, known.id)
    return { log, known }
  } catch (error) {
    return { log, error: failureOfLog(log, error) }
  }
}

/**
 * Compresses a log while no other run compresses it into this store; waits for one that does, and takes its bundle.
 * Of what is to be compressed again, `doneBefore` has the bundles from before this run: what others did since then is
 * not done once more. Stdin and pipes cannot be identified before they are read, so `compress` takes their leases.
 */
export async function oneRunAtATime(
  log: LogToCompress,
  { store, library, options: { reading } }: CompressWork,
  { doneBefore, terminal }: { doneBefore?: ReadonlySet<string> | undefined; terminal: Terminal },
  compress: (lease: CompressOnceOptions['lease']) => Promise<LogOutcome>,
): Promise<LogOutcome> {
  const { signal } = library
  const onWait = ({ pid }: { readonly pid?: number | undefined }): void => {
    const other = pid === undefined ? 'another run' : `another run (process ${pid})`
    const name = log.log === '-' ? 'stdin' : cleanLine(log.log)
    terminal.note(`${name}: ${other} is compressing it; waiting for its bundle`)
  }
  if (store === undefined) return await compress({ onWait })
  try {
    const digest = log.digest ?? (await identifyLog(log, { reading, signal, library }))?.digest
    if (digest === undefined) return await compress({ onWait })
    const result = await withWorkLease(
      store,
      digest,
      { onWait, signal, except: doneBefore },
      async (held) => {
        const outcome = await compress(held)
        // What another run took over is that one's.
        if (outcome.error !== undefined) held.signal.throwIfAborted()
        return { outcome }
      },
    )
    return 'outcome' in result ? result.outcome : { log: log.log, known: result.known, elsewhere: true }
  } catch (error) {
    return failedOutcome(log.log, error, [], library)
  }
}
