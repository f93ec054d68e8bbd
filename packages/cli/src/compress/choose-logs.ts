import { stat } from 'node:fs/promises'
import { type BundleStore, bundleToMarkdown } from '@tenfold/core'
import { type DoneWork, openLedger, restoreArchive, workDigest, workDigests } from '@tenfold/core/internal'
import { type LogArgument, openArgument } from '../logs/gather-logs.ts'
import type { LogMemory } from '../logs/log-memory.ts'
import { failureOfLog } from '../terminal/failure.ts'
import { unlessFaulty } from '../terminal/thrown.ts'
import { type LibraryOptions, type LogOutcome, writeOut } from './compress-one.ts'
import type { CompressOptions } from './compress-options.ts'
import { runInOrder } from './run-in-order.ts'

export interface LogToCompress extends LogArgument {
  readonly digest?: string
}

export type ChosenLog =
  | LogToCompress
  | { readonly log: string; readonly known: DoneWork; readonly sha256: string }
  | { readonly log: string; readonly sameAs: string }

interface ChooseOptions {
  readonly library: LibraryOptions
  readonly memory: LogMemory
  readonly store: BundleStore
  readonly readOnly: boolean
  readonly limit: number
  readonly onProgress: (done: number) => void
}

/** Logs opened at a time, because a store in a bucket answers slowly. */
const atATime = 8

export async function chooseLogs(logs: readonly LogArgument[], options: ChooseOptions) {
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

async function lookUp(
  argument: LogArgument,
  { store, readOnly, library, memory }: ChooseOptions,
): Promise<LookedUp> {
  const { log, track, failure } = argument
  const { signal } = library
  const look = async (): Promise<LookedUp> => {
    if (failure !== undefined || signal.aborted || !(await canBeReadTwice(log))) return argument
    const { sha256, sessionId, bytes } = await memory.identify(argument)
    const wanted = { ...library, session: sessionId }
    const [digest, ...same] = workDigests(sha256, { ...wanted, track: track ?? library.track })
    // A hook, or a run that named this log, recorded it without a track.
    const untracked = track === undefined ? [] : [workDigest(sha256, wanted)]
    const ledger = openLedger(store)
    for (const one of [digest, ...same, ...untracked]) {
      const known = await ledger.find(one, { readOnly })
      if (known !== undefined) return { log, known, sha256 }
    }
    return { ...argument, digest, bytes }
  }
  // Faults of the log or the store are reported when the log is compressed.
  return await unlessFaulty(look(), argument, signal)
}

/** Stdin and pipes can be read only once, and the other logs must not wait for them. */
async function canBeReadTwice(log: string): Promise<boolean> {
  if (log === '-') return false
  // Without info it is a session in a database, or a fault that is reported when the log is compressed.
  const info = await unlessFaulty(stat(log), undefined)
  return info === undefined || info.isFile() || info.isDirectory()
}

/** If `sha256` is set, a lost archive of the log is restored. */
interface KnownLog {
  readonly log: string
  readonly known: DoneWork
  readonly sha256?: string | undefined
}

export async function knownLog(
  { log, known, sha256 }: KnownLog,
  { output, dryRun, archive, reading }: CompressOptions,
  { redactors, signal }: LibraryOptions,
  store: BundleStore,
): Promise<LogOutcome> {
  if (known.stored === false) return { log, known }
  try {
    if (sha256 !== undefined && archive && !dryRun) {
      const open = () => openArgument(log, { reading, signal })
      await restoreArchive(store, known, { sha256, open }, { redactors, signal })
    }
    if (output === undefined) return { log, known }
    const bundle = await store.load(known.id)
    if (output === '-') return { log, known, markdown: bundleToMarkdown(bundle) }
    if (!dryRun) await writeOut(output, bundle, known.id)
    return { log, known }
  } catch (error) {
    return { log, error: failureOfLog(log, error) }
  }
}
