import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { sessionsOfLog, twinInDatabase } from '../../sources/sessions-of-log.ts'
import { stateOf } from '../../state/seen-logs.ts'
import { logHook } from '../hooks/hook-log.ts'
import { dueAt, finishJob, type HookJob, putBack, takeJob, waitingJobs } from '../hooks/job-queue.ts'
import { isLasting, type KnownLogs, type SweepTarget, type SweptLog } from './sweep-target.ts'

const maxAttempts = 3
const retryAfter = 10 * 60_000
const lookForLog = 2_000

export async function takeDueJobs(known: KnownLogs): Promise<SweepTarget[]> {
  const targets: SweepTarget[] = []
  for (const job of waitingJobs()) {
    if (dueAt(job) > Date.now() || !takeJob(job)) continue
    const target = await targetOf(job, known).catch(() => unreadable(job))
    const reason = target === undefined ? 'the log is missing' : reasonAgainst(target, known)
    if (target !== undefined && reason === undefined) targets.push(target)
    else if (target === undefined && (job.missingUntil ?? 0) > Date.now())
      putBack({ ...job, notBefore: Date.now() + lookForLog })
    else {
      logHook({ job: job.event, log: job.log, skipped: reason })
      finishJob(job)
    }
  }
  known.digests.save()
  return targets
}

/** Why a log is not compressed for a job. One that only another store has, where a sweep put it, is compressed. */
function reasonAgainst({ digest, store }: SweepTarget, { seen, version }: KnownLogs): string | undefined {
  const before = seen.get(digest)
  const state = stateOf(before, version)
  if (before !== undefined && state !== 'open') seen.add({ ...before, at: new Date().toISOString() })
  if (state === 'failed') return `failed before: ${before?.failed ?? 'tenfold was killed each time'}`
  return state === 'done' && before?.store === store ? 'already compressed in its present state' : undefined
}

async function targetOf(job: HookJob, { digests }: KnownLogs): Promise<SweepTarget | undefined> {
  const { log, agent } = job
  if (existsSync(log)) {
    const twin = await twinInDatabase(log, agent, digests)
    if (twin !== undefined) return targetFor(job, twin)
    const { mtimeMs: changed } = await stat(log)
    return targetFor(job, { log, digest: await digests.digest(log), changed })
  }
  const path = log.slice(0, Math.max(0, log.lastIndexOf('#')))
  if (path === '' || !existsSync(path)) return undefined
  const { mtimeMs: changed, size: bytes } = await stat(path)
  const sessions = await sessionsOfLog({ agent, path, unit: 'database', bytes, changed }, digests)
  const session = sessions.find((each) => each.log === log)
  return session && targetFor(job, session)
}

type Found = Pick<SweepTarget, 'log' | 'digest' | 'changed'>

function targetFor(job: HookJob, { log, digest, changed }: Found): SweepTarget {
  const { agent, store, track } = job
  return { log, agent, store, track, digest, changed, job }
}

/** A log that cannot be read keeps no other from its turn: it fails when it is compressed, known by its path. */
function unreadable(job: HookJob): SweepTarget {
  const digest = createHash('sha256').update(`unreadable\0${job.log}`).digest('hex')
  return targetFor(job, { log: job.log, digest, changed: Date.now() })
}

/** Ends a job, or puts it back if it failed for a reason that may pass. */
export function settleJob(job: HookJob, { done, known, error, interrupted }: SweptLog): void {
  const attempts = job.attempts + 1
  const again =
    interrupted ||
    (error !== undefined && !isLasting(error.code) && error.code !== 'log-missing' && attempts < maxAttempts)
  const outcome = interrupted ? { skipped: 'interrupted' } : { fault: error?.message }
  logHook({
    agent: job.agent,
    job: job.event,
    log: job.log,
    store: job.store,
    ...(error === undefined
      ? { bundle: done?.bundle.id ?? known, track: done?.track }
      : { ...outcome, again }),
  })
  if (!again) finishJob(job)
  else if (interrupted) putBack(job)
  else putBack({ ...job, attempts, notBefore: Date.now() + retryAfter * attempts })
}
