import { setTimeout as sleep } from 'node:timers/promises'
import { hasEnded } from '@tenfold/core/internal/locks'
import { agentProcess } from './agent-process.ts'
import { type HookAgent, traitsOf } from './hook-agents.ts'
import type { HookPayload } from './hook-payload.ts'
import { dueAt, enqueue, type HookJob, openJobs } from './job-queue.ts'
import type { OpenSession } from './open-sessions.ts'
import { startWorker } from './worker.ts'

const look = 50

export interface Unbundled {
  readonly unfinished: readonly HookJob[]
  readonly running: readonly OpenSession[]
}

/**
 * Waits until the sessions of a project that ended, with or without an event, or were compacted, have their bundles:
 * after `/clear`, a kill, a quick restart or a compaction the next session would otherwise be given the brief of the
 * session before. The longest wait is set by TENFOLD_HOOK_WAIT in milliseconds.
 */
export async function waitForBundles(
  payload: HookPayload,
  { project, store }: { readonly project: string; readonly store: string },
): Promise<Unbundled> {
  const open = () => openJobs().filter((job) => job.store === store && job.track === 'main')
  // The turn of a session that is over: nothing more will come that could postpone it.
  for (const job of open())
    if (dueAt(job) > Date.now() && isOver(job, payload)) enqueue({ ...job, notBefore: Date.now() })
  const { over, running } =
    payload.source === 'compact'
      ? { over: [], running: [] }
      : await (await import('./open-sessions.ts')).findOpenSessions({ project, store }, payload)
  const now = Date.now()
  // What ended first is compressed first.
  for (const { changed, ...session } of over)
    enqueue({
      ...{ version: 1, event: 'no event', ...session, store, track: 'main' },
      ...{ queuedAt: Math.floor(changed), notBefore: now, attempts: 0 },
    })
  const due = () => open().filter((job) => dueAt(job) <= Date.now() && job.attempts === 0)
  if (due().length === 0) return { unfinished: open().filter(({ attempts }) => attempts > 0), running }
  const works = startWorker() !== 'off'
  for (const end = Date.now() + (works ? longest(payload.agent) : 0); due().length > 0 && Date.now() < end; )
    await sleep(look)
  return { unfinished: open().filter((job) => dueAt(job) <= Date.now()), running }
}

/** Whether a session starts in the place of another one of its agent, which does not run in a process of its own. */
function isOver({ agent, session, process }: HookJob, payload: HookPayload): boolean {
  if (agent !== payload.agent || session === payload.session) return false
  return process === undefined || hasEnded(process, true) || process.pid === agentProcess()?.pid
}

function longest(agent: HookAgent): number {
  const usual = traitsOf(agent).wait
  const given = Number(process.env.TENFOLD_HOOK_WAIT ?? usual)
  return Number.isFinite(given) && given >= 0 ? given : usual
}
