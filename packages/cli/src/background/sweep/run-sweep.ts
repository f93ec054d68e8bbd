import { join } from 'node:path'
import type { BundleStore } from '@tenfold/core'
import { cleanLine } from '@tenfold/core/internal'
import { defaultReaders, sourceAgents } from '@tenfold/core/readers'
import { holdLock } from '@tenfold/storage-fs/lock'
import { compressOne, libraryOptions } from '../../compress/compress-one.ts'
import { oneRunAtATime } from '../../compress/one-run-at-a-time.ts'
import { runInOrder } from '../../compress/run-in-order.ts'
import { sharedSpending } from '../../options/model-options.ts'
import { makeRedactors } from '../../options/redact-options.ts'
import { ownVersion } from '../../own-package.ts'
import { openDigests } from '../../state/digest-logs.ts'
import { openSeen, type SeenLog } from '../../state/seen-logs.ts'
import { statePlace } from '../../state/state-folder.ts'
import { openStoreToWrite } from '../../store/open-store.ts'
import { type ExitCode, exitCodes } from '../../terminal/exit-codes.ts'
import { printReport } from '../../terminal/report.ts'
import type { CommandContext } from '../../terminal/terminal.ts'
import { messageOf } from '../../terminal/thrown.ts'
import { isOwnProcess, ownMarker } from '../hooks/hook-agents.ts'
import { peekJobs } from '../hooks/job-queue.ts'
import { inState } from '../hooks/settings/settings-file.ts'
import { findTargets } from './find-targets.ts'
import type { SweepOptions } from './sweep-options.ts'
import { plannedReport, type SweepReport, sweepReport } from './sweep-report.ts'
import { isLasting, type KnownLogs, type SweepTarget, type SweptLog } from './sweep-target.ts'
import { settleJob, takeDueJobs } from './work-queue.ts'

/** The lock of the compressing process, in the state folder: one at a time, so that each log is compressed once. */
const workLock = 'work.lock'

/**
 * Compresses what was missed: the jobs that hooks left, then the logs in the agents' folders that are quiet and not
 * compressed in their present state. If it is killed at any point, the next one continues; if one is already running,
 * it does nothing.
 */
export async function runSweep(options: SweepOptions, context: CommandContext): Promise<ExitCode> {
  const { terminal, signal } = context
  // Marks everything that a summarizer starts as ours.
  if (!isOwnProcess()) process.env[ownMarker] = '1'
  if (options.dryRun) {
    plannedReport(terminal, peekJobs(), await find(options, openKnown(), context))
    return exitCodes.done
  }
  const lock = await holdLock(join(await inState(() => statePlace()), workLock))
  if ('heldBy' in lock) {
    const pid = lock.heldBy?.pid
    const none = `Another sweep is running${pid === undefined ? '' : ` (process ${pid})`}; nothing to do here.`
    return printReport(terminal, { json: { busy: true, pid: pid ?? null }, indent: 0, none })
  }
  const report = sweepReport(terminal)
  try {
    // Read while holding the lock: another sweep may have just ended.
    const known = openKnown()
    const work = await startWork(options, context, report, known)
    await compressTargets(await takeDueJobs(known), work)
    if (!options.queued && !signal.aborted) {
      const { targets, skipped } = await find(options, known, context)
      known.digests.save()
      report.skipped(skipped)
      await compressTargets(targets, work)
    }
    // Jobs that hooks added meanwhile.
    while (!signal.aborted) {
      const jobs = await takeDueJobs(known)
      if (jobs.length === 0) break
      await compressTargets(jobs, work)
    }
  } finally {
    await lock.release()
  }
  return report.end(signal.aborted)
}

function openKnown(): KnownLogs {
  return { digests: openDigests(), seen: openSeen(), version: ownVersion() }
}

async function find(options: SweepOptions, known: KnownLogs, { terminal, signal }: CommandContext) {
  const { agent: agents = sourceAgents, idle, store, retry = false } = options
  const onFault = (message: string): void => terminal.warn(`warning: ${cleanLine(message)}`)
  return await findTargets({ agents, idle, store, retry, known, signal, onFault })
}

type Work = Awaited<ReturnType<typeof startWork>>

async function startWork(
  options: SweepOptions,
  { terminal, signal }: CommandContext,
  report: SweepReport,
  { seen, version }: KnownLogs,
) {
  const { limits, summarizers } = await sharedSpending(options)
  const redactors = await makeRedactors(options)
  const { dryRun, json, ...given } = options
  const whole = {
    ...{ ...given, store: '', track: 'main' },
    reading: { readers: defaultReaders, maxLogBytes: options.maxLogSize },
    ...({ maxRatio: 0.1, minSourceTokens: 4000, counter: 'o200k_base', archive: true } as const),
  }
  return {
    options: whole,
    library: libraryOptions(whole, { summarizers, redactors, limits, signal }),
    ...{ seen, version, terminal, signal, report },
    concurrency: options.concurrency,
    stores: new Map<string, Promise<OpenedStore>>(),
  }
}

/**
 * Compresses targets, several stores at a time; those of one store one at a time, oldest first, so that the newest
 * becomes its LATEST.
 */
async function compressTargets(targets: readonly SweepTarget[], work: Work): Promise<void> {
  const byStore = new Map<string, SweepTarget[]>()
  for (const target of targets) byStore.set(target.store, [...(byStore.get(target.store) ?? []), target])
  const done = new Set<string>()
  const all = async (group: readonly SweepTarget[]): Promise<void> => {
    for (const target of group) {
      // Two hooks may have requested the same log.
      const key = `${target.store}\0${target.digest}`
      const swept: SweptLog = done.has(key)
        ? { target, log: target.log, known: work.seen.get(target.digest)?.bundle ?? '' }
        : await compressTarget(target, work)
      done.add(key)
      if (target.job !== undefined) settleJob(target.job, swept)
      work.report.show(swept)
    }
  }
  await runInOrder([...byStore.values()], work.concurrency, all, () => {})
}

/** Compresses one log into its store and remembers that. Never rejects because of a faulty log or store. */
async function compressTarget(
  target: SweepTarget,
  { options, library, report, seen, terminal, version, stores }: Work,
): Promise<SweptLog> {
  const { log, digest, store: place, track } = target
  let opened: OpenedStore
  try {
    const opening = stores.get(place) ?? openWithSources(place, terminal)
    stores.set(place, opening)
    opened = await opening
  } catch (error) {
    return { target, log, error: { code: 'store-failed', message: `${log}: ${messageOf(error)}` } }
  }
  const remember = (fields: Pick<SeenLog, 'bundle' | 'failed' | 'begun'>, of = digest): void =>
    seen.add({ digest: of, log, store: place, version, at: new Date().toISOString(), ...fields })
  // The run that made the bundle was killed before it could remember it.
  const known = opened.sources.get(digest)
  if (known !== undefined) {
    remember({ bundle: known })
    return { target, log, known }
  }
  remember({ begun: (seen.get(digest)?.begun ?? 0) + 1 })
  const { store } = opened
  const given = target.job?.given ?? (await bundleBefore(target, store))
  const one = { options: { ...options, store: place }, library: { ...library, track, given }, store }
  const onProgress = (event: Parameters<SweepReport['progress']>[1]) => report.progress(log, event)
  const { known: before, ...outcome } = await oneRunAtATime({ log }, one, { terminal }, (lease) =>
    compressOne({ log }, { ...one, again: false, lease, report: onProgress }),
  )
  const bundle = outcome.done?.bundle.id ?? before?.id
  if (bundle !== undefined) for (const of of [digest, ...(target.parts ?? [])]) remember({ bundle }, of)
  if (outcome.error !== undefined && isLasting(outcome.error.code)) remember({ failed: outcome.error.code })
  return { ...outcome, target, ...(before !== undefined && { known: before.id }) }
}

interface OpenedStore {
  readonly store: BundleStore
  readonly sources: ReadonlyMap<string, string>
}

async function openWithSources(place: string, terminal: CommandContext['terminal']): Promise<OpenedStore> {
  const store = await openStoreToWrite(place, terminal)
  return { store, sources: new Map((await store.list()).map(({ sourceSha256, id }) => [sourceSha256, id])) }
}

/**
 * The newest bundle of the project when a session was last written to: what holds in a project holds on, even if a
 * session was given no brief or its log does not show it.
 */
async function bundleBefore(
  { track, changed }: SweepTarget,
  store: BundleStore,
): Promise<string | undefined> {
  if (track !== 'main') return undefined
  const [newest] = await store.list({ track, until: new Date(changed), limit: 1 })
  return newest?.id
}
