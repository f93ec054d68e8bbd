import { setTimeout as sleep } from 'node:timers/promises'
import type { HookAgent } from './hook-agents.ts'
import type { HookJob } from './hook-job.ts'
import type { HookPayload } from './hook-payload.ts'
import { enqueue, openJobs } from './job-queue.ts'
import { startWorker } from './start-worker.ts'

const look = 50
/** The commands of the hooks end after four seconds, those of Cline after two. */
const defaultWait = 2_500
const clineWait = 1_000

/**
 * Waits until the sessions of a project that ended, or were compacted, have their bundles: after `/clear`, a quick
 * restart or a compaction the next session would otherwise be given the brief of the session before. Returns the jobs
 * that are still open after the wait, which TENFOLD_HOOK_WAIT sets in milliseconds.
 */
export async function waitForBundles(payload: HookPayload, store: string): Promise<readonly HookJob[]> {
  const open = () => openJobs().filter((job) => job.store === store && job.track === 'main')
  // The turn of a session that is over: nothing more will come that could postpone it.
  for (const job of open())
    if (job.notBefore > Date.now() && isOver(job, payload)) enqueue({ ...job, notBefore: Date.now() })
  const due = () => open().filter(({ notBefore, attempts }) => notBefore <= Date.now() && attempts === 0)
  if (due().length === 0) return open().filter(({ attempts }) => attempts > 0)
  const works = startWorker() !== 'off'
  for (const end = Date.now() + (works ? longest(payload.agent) : 0); due().length > 0 && Date.now() < end; )
    await sleep(look)
  return open().filter(({ notBefore }) => notBefore <= Date.now())
}

/** Whether a session of the same agent starts in its place; one of another agent may run at the same time. */
function isOver({ agent, session }: HookJob, payload: HookPayload): boolean {
  return agent === payload.agent && session !== payload.session
}

function longest(agent: HookAgent): number {
  const usual = agent === 'cline' ? clineWait : defaultWait
  const given = Number(process.env.TENFOLD_HOOK_WAIT ?? usual)
  return Number.isFinite(given) && given >= 0 ? given : usual
}
