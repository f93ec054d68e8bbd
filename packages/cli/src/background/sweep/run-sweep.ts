import { join } from 'node:path'
import { cleanLine } from '@tenfold/core/internal'
import { sourceAgents } from '@tenfold/core/readers'
import { holdLock } from '@tenfold/storage-fs/lock'
import { runInOrder } from '../../compress/run-in-order.ts'
import { sharedSpending } from '../../options/model-options.ts'
import { makeRedactors } from '../../options/redact-options.ts'
import { ownVersion } from '../../own-package.ts'
import { openDigests } from '../../state/digest-logs.ts'
import { openSeen } from '../../state/seen-logs.ts'
import { statePlace } from '../../state/state-folder.ts'
import { type ExitCode, exitCodes } from '../../terminal/exit-codes.ts'
import type { CommandContext } from '../../terminal/terminal.ts'
import { isOwnProcess, ownMarker } from '../hooks/hook-agents.ts'
import { peekJobs } from '../hooks/job-queue.ts'
import { inState } from '../hooks/settings/settings-file.ts'
import { compressTarget, type OpenedStore } from './compress-target.ts'
import { findTargets } from './find-targets.ts'
import { compressOptionsOf, type SweepOptions } from './sweep-options.ts'
import { busyLine, type SweepReport, sayTargets, sweepReport } from './sweep-report.ts'
import type { KnownLogs, SweepTarget, SweptLog } from './sweep-target.ts'
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
    const known = openKnown()
    const found = await find(options, known, context)
    sayTargets(terminal, { jobs: peekJobs(), ...found, json: options.json ?? false })
    return exitCodes.done
  }
  const lock = await holdLock(join(await inState(() => statePlace()), workLock))
  if ('heldBy' in lock) {
    busyLine(terminal, lock.heldBy?.pid, options.json ?? false)
    return exitCodes.done
  }
  const report = sweepReport(terminal, options)
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
  return await findTargets({
    agents: options.agent ?? sourceAgents,
    idle: options.idle,
    store: options.store,
    retry: options.retry ?? false,
    known,
    signal,
    onFault: (message) => terminal.warn(`warning: ${cleanLine(message)}`),
  })
}

type TargetWork = Awaited<ReturnType<typeof startWork>>

async function startWork(
  options: SweepOptions,
  { terminal, signal }: CommandContext,
  report: SweepReport,
  { seen, version }: KnownLogs,
) {
  const { limits, summarizers } = await sharedSpending(options)
  const redactors = await makeRedactors(options)
  return {
    work: { options: compressOptionsOf(options), summarizers, redactors, limits, signal },
    ...{ seen, version, terminal, signal, report },
    concurrency: options.concurrency,
    stores: new Map<string, Promise<OpenedStore>>(),
  }
}

/**
 * Compresses targets, several stores at a time; those of one store one at a time, oldest first, so that the newest
 * becomes its LATEST.
 */
async function compressTargets(targets: readonly SweepTarget[], work: TargetWork): Promise<void> {
  const byStore = new Map<string, SweepTarget[]>()
  for (const target of targets) {
    const group = byStore.get(target.store)
    if (group === undefined) byStore.set(target.store, [target])
    else group.push(target)
  }
  const done = new Set<string>()
  const all = async (group: readonly SweepTarget[]): Promise<void> => {
    for (const target of group) {
      // Two hooks may have requested the same log.
      const key = `${target.store}\0${target.digest}`
      const swept: SweptLog = done.has(key)
        ? { target, log: target.log, known: work.seen.get(target.digest)?.bundle ?? '' }
        : await compressTarget(target, work, work.stores)
      done.add(key)
      if (target.job !== undefined) settleJob(target.job, swept)
      work.report.show(swept)
    }
  }
  await runInOrder([...byStore.values()], work.concurrency, all, () => {})
}
