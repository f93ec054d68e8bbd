import { setTimeout as sleep } from 'node:timers/promises'
import { hasEnded } from '@tenfold/core/internal/locks'
import type { StandardStreams } from '../../terminal/standard-stream.ts'
import { type ExitCode, exitCodes } from '../../terminal/terminal.ts'
import { messageOf } from '../../terminal/thrown.ts'
import { agentProcess } from './agent-process.ts'
import {
  type HookAgent,
  hookAgentOf,
  hookAgents,
  isOwnProcess,
  startsSubagent,
  traitsOf,
} from './hook-agents.ts'
import {
  findSubagentTranscript,
  findTranscript,
  type HookPayload,
  mayHoldBundles,
  parseHookPayload,
  projectOf,
  readHookInput,
  storeOf,
  subagentTrack,
} from './hook-payload.ts'
import { dueAt, enqueue, type HookJob, logHook, openJobs } from './job-queue.ts'
import type { Unbundled } from './session-brief.ts'
import { markSession, type SessionMark } from './session-mark.ts'
import { startWorker } from './worker.ts'

// A hook that ends a session has 1.5 s, including the start of this process, so this file imports only a few small
// files and loads the library only in the cases that use it.

/** Usual and longest time to wait for an agent that writes its log late. */
const lateBy = 1_000
const longestLate = 30_000

/** Never throws, and fails only for an unknown agent, because no other failure should stop an agent. */
export async function hook(
  { stdin, stdout, stderr }: StandardStreams,
  name: string | undefined,
  event?: string,
): Promise<ExitCode> {
  const agent = hookAgentOf(name)
  if (agent === undefined) {
    stderr.write(`error: expected an agent, one of ${hookAgents.join(', ')}, got ${JSON.stringify(name)}\n`)
    // Not 2, which tells an agent to block its tool call.
    return exitCodes.failed
  }
  const answer = (await answerTo(stdin, agent, event)) ?? traitsOf(agent).emptyAnswer
  if (answer !== undefined) stdout.write(`${answer}\n`)
  return exitCodes.done
}

async function answerTo(stdin: StandardStreams['stdin'], agent: HookAgent, named: string | undefined) {
  let line: Readonly<Record<string, unknown>> = { agent }
  try {
    // Read stdin even if it is not used, since the agent writes to the pipe.
    const input = await readHookInput(stdin)
    if (isOwnProcess()) {
      logHook({ agent, skipped: 'a session that tenfold itself started' })
      return undefined
    }
    const payload = 'fault' in input ? input.fault : parseHookPayload(agent, input.text, named)
    if (typeof payload === 'string') throw new Error(payload)
    const { event, session, source, tool } = payload
    line = { agent, event: event.slice(0, 60), session, source, tool }
    const { answer, ...did } = await act(payload)
    logHook({ ...line, ...did })
    return answer
  } catch (error) {
    logHook({ ...line, fault: messageOf(error) })
    return undefined
  }
}

type Did = { readonly answer?: string } & Readonly<Record<string, unknown>>

async function act(payload: HookPayload): Promise<Did> {
  const project = projectOf(payload)
  const { agent, action, source, trigger, tool } = payload
  if (action === undefined) return { skipped: 'an event that tenfold ignores' }
  if (project === undefined) return { skipped: 'the working folder does not exist' }
  const store = storeOf(project)
  switch (action) {
    case 'session-start': {
      const found = findTranscript(payload)
      mark(payload, store, 'path' in found ? found.path : found.expected)
      if (source === 'resume' || source === 'fork')
        return { skipped: 'a session that is resumed or forked already has its history' }
      // Logged now, since a hook that takes too long is killed before it can log anything.
      logHook({ agent, event: payload.event.slice(0, 60), session: payload.session, began: true })
      const unbundled = await waitForBundles(payload, { project, store })
      if (!mayHoldBundles(store) && unbundled.unfinished.length + unbundled.running.length === 0)
        return { skipped: 'there is no bundle of this project' }
      const { sessionBrief } = await import('./session-brief.ts')
      const did = await sessionBrief(payload, { project, store, ...unbundled })
      if (did.bundle !== undefined) markSession(payload, { brief: did.bundle })
      return did
    }
    case 'session-end':
      return queueSession(payload, store, traitsOf(agent).writesLate ? lateBy : 0)
    case 'subagent-end': {
      const found = findSubagentTranscript(payload)
      if ('fault' in found) return { skipped: found.fault }
      return queue(payload, { log: found.path, store, track: subagentTrack(payload, found.path) })
    }
    case 'before-compaction': {
      // Gemini CLI sends this event before every request, even if it does not compact; its log keeps what is dropped.
      if (agent === 'gemini' && trigger === 'auto')
        return { skipped: 'sent before every request; the log keeps what a compaction drops' }
      const queued = queueSession(payload, store, 0, 'later')
      if (typeof queued.log !== 'string') return queued
      // The job is already queued, so nothing is lost if the hook is killed while it copies a large log.
      const { snapshotLog } = await import('./snapshot-log.ts')
      const snapshot = await snapshotLog(queued.log, store).catch((error) => ({ fault: messageOf(error) }))
      return { ...queued, snapshot, worker: startWorker() }
    }
    case 'before-tool':
      if (!startsSubagent(tool)) return { skipped: 'a tool that starts no sub-agent' }
      // A long-running sub-agent is compressed while it runs, as after the end of a turn.
      return queueSession(payload, store, idleTime())
    case 'before-subagent':
    case 'turn-end':
      return queueSession(payload, store, idleTime())
  }
}

function queueSession(payload: HookPayload, store: string, delay: number, worker?: 'later'): Did {
  const found = findTranscript(payload)
  if ('fault' in found) return { skipped: found.fault }
  const late = found.isLate && { missingUntil: Date.now() + delay + longestLate }
  const { brief, process } = mark(payload, store, found.path) ?? {}
  const known = { ...(brief !== undefined && { given: brief }), ...(process !== undefined && { process }) }
  return queue(payload, { log: found.path, store, track: 'main', ...known, ...late }, delay, worker)
}

/** Records which process works on the session and in which log, since no other source has this. */
function mark(payload: HookPayload, store: string, log: string | undefined): SessionMark | undefined {
  const process = agentProcess()
  const ended = payload.action === 'session-end'
  const known = { ...(log !== undefined && { log }), ...(process !== undefined && { process }) }
  return markSession(payload, { store, ended, ...known })
}

type Target = Pick<HookJob, 'log' | 'store' | 'track' | 'given' | 'process' | 'missingUntil'>

function queue({ agent, event, session }: HookPayload, target: Target, delay = 0, worker?: 'later'): Did {
  const now = Date.now()
  enqueue({
    ...{ version: 1, agent, event: event.slice(0, 60), ...target },
    ...(session !== undefined && { session: session.slice(0, 200) }),
    ...{ queuedAt: now, notBefore: now + delay, attempts: 0 },
  })
  const { log, track, store } = target
  return { queued: true, log, store, track, ...(worker !== 'later' && { worker: startWorker() }) }
}

/** Milliseconds without an event after which a session is compressed. Ten minutes by default. */
function idleTime(): number {
  const minutes = Number(process.env.TENFOLD_HOOK_IDLE ?? 10)
  return (Number.isFinite(minutes) && minutes >= 0 ? minutes : 10) * 60_000
}

const look = 50

/**
 * Waits for the bundles of a project's sessions that ended, with or without an event, or were compacted. Without this,
 * the next session after `/clear`, a kill, a quick restart or a compaction would get the brief of an earlier session.
 */
async function waitForBundles(
  payload: HookPayload,
  { project, store }: { readonly project: string; readonly store: string },
): Promise<Unbundled> {
  const open = () => openJobs().filter((job) => job.store === store && job.track === 'main')
  // These sessions are over, so their jobs need not wait for another turn.
  for (const job of open())
    if (dueAt(job) > Date.now() && isOver(job, payload)) enqueue({ ...job, notBefore: Date.now() })
  const { over, running } =
    payload.source === 'compact'
      ? { over: [], running: [] }
      : await (await import('./open-sessions.ts')).findOpenSessions({ project, store }, payload)
  const now = Date.now()
  // The worker takes jobs in the order of `queuedAt`, so the newest session becomes LATEST.
  for (const { changed, ...session } of over)
    enqueue({
      ...{ version: 1, event: 'no event', ...session, store, track: 'main' },
      ...{ queuedAt: Math.floor(changed), notBefore: now, attempts: 0 },
    })
  const due = () => open().filter((job) => dueAt(job) <= Date.now() && job.attempts === 0)
  if (due().length === 0) return { unfinished: open().filter(({ attempts }) => attempts > 0), running }
  const longest = startWorker() === 'off' ? 0 : timeToWait(payload.agent)
  // The code that makes the brief loads during the wait.
  const loading = import('./session-brief.ts')
  for (const end = Date.now() + longest; due().length > 0 && Date.now() < end; ) await sleep(look)
  await loading
  return { unfinished: open().filter((job) => dueAt(job) <= Date.now()), running }
}

/** Whether the job's session is over because a new one of its agent starts and no other process runs it. */
function isOver({ agent, session, process }: HookJob, payload: HookPayload): boolean {
  if (agent !== payload.agent || session === payload.session) return false
  return process === undefined || hasEnded(process, true) || process.pid === agentProcess()?.pid
}

/**
 * Milliseconds from TENFOLD_HOOK_WAIT, otherwise what is left of the agent's time limit for this process. On a busy
 * machine everything takes longer, and a hook that is killed gives no brief.
 */
function timeToWait(agent: HookAgent): number {
  const given = Number(process.env.TENFOLD_HOOK_WAIT || Number.NaN)
  if (Number.isFinite(given) && given >= 0) return given
  return Math.max(0, traitsOf(agent).wait - 1.5 * performance.now())
}
