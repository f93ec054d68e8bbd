import { createHash } from 'node:crypto'
import { hasEnded, type LockOwner, ownerOf } from '@tenfold/core/storage'
import { parseJson } from '../../terminal/json-input.ts'
import { type HookAgent, isHookAgent } from './hook-agents.ts'

/** A log that waits to be compressed: what a hook leaves for the worker or the next sweep. */
export interface HookJob {
  readonly version: 1
  readonly agent: HookAgent
  /** The event that requested it. */
  readonly event: string
  readonly log: string
  readonly store: string
  readonly track: string
  readonly session?: string
  /** Id of the bundle whose brief the session was given. */
  readonly given?: string
  /** The process of the agent: its session is over with it. */
  readonly process?: LockOwner
  /** Milliseconds since 1970: when it was first requested, and the earliest time to start it. */
  readonly queuedAt: number
  readonly notBefore: number
  /** Until then the log may be missing: its agent has yet to write it. */
  readonly missingUntil?: number
  /** How often it failed. */
  readonly attempts: number
}

/** Name of a job. The same log, store and track have one job, no matter how often it is requested. */
export function jobId({ log, store, track }: Pick<HookJob, 'log' | 'store' | 'track'>): string {
  return createHash('sha256').update(`${log}\0${store}\0${track}`).digest('hex').slice(0, 32)
}

/** When a job may start. What is postponed, since its session may go on, is due once its agent has ended. */
export function dueAt({ notBefore, missingUntil, process }: HookJob): number {
  const isOver = missingUntil === undefined && process !== undefined && hasEnded(process, true)
  return isOver ? Math.min(notBefore, Date.now()) : notBefore
}

/** Parses a job from its file; undefined if it is not one. */
export function parseJob(text: string): HookJob | undefined {
  const value = parseJson(text)
  return isJob(value) ? value : undefined
}

function isJob(value: unknown): value is HookJob {
  if (typeof value !== 'object' || value === null) return false
  const job: Record<string, unknown> = { ...value }
  const texts = [job.agent, job.event, job.log, job.store, job.track]
  const numbers = [job.queuedAt, job.notBefore, job.attempts]
  return (
    job.version === 1 &&
    texts.every((text) => typeof text === 'string' && text !== '') &&
    numbers.every((number) => typeof number === 'number' && Number.isFinite(number)) &&
    [job.session, job.given].every((text) => text === undefined || typeof text === 'string') &&
    (job.missingUntil === undefined || typeof job.missingUntil === 'number') &&
    (job.process === undefined || ownerOf(JSON.stringify(job.process)) !== undefined) &&
    isHookAgent(String(job.agent))
  )
}
