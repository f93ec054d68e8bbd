import { join } from 'node:path'
import { cleanLine, sourceAgents } from '@tenfold/core'
import { holdLock } from '@tenfold/storage-fs/lock'
import { ownVersion } from '../../own-package.ts'
import { openDigests } from '../../state/digest-logs.ts'
import { openSeen } from '../../state/seen-logs.ts'
import { statePlace } from '../../state/state-folder.ts'
import type { CommandContext } from '../../terminal/command-context.ts'
import { type ExitCode, exitCodes } from '../../terminal/exit-codes.ts'
import { isOwnProcess, ownMarker } from '../hooks/hook-agents.ts'
import { peekJobs } from '../hooks/job-queue.ts'
import { inState } from '../hooks/settings/with-advice.ts'
import { findTargets } from './find-targets.ts'
import type { KnownLogs } from './known-logs.ts'
import type { SweepOptions } from './sweep-options.ts'
import { busyLine, sayTargets, sweepReport } from './sweep-report.ts'
import { compressTargets, startWork } from './sweep-work.ts'
import { takeDueJobs } from './work-queue.ts'

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
