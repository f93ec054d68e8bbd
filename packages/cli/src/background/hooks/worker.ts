import { spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { holdLock, isAbandoned } from '@tenfold/storage-fs/lock'
import { programPath } from '../../own-package.ts'
import { statePlace } from '../../state/trust.ts'
import { unlessRefused } from '../../terminal/thrown.ts'
import { ownMarker } from './hook-agents.ts'
import { dueAt, keepSmall, logHook, peekJobs } from './job-queue.ts'

// A separate process that works off the hooks' queue. It waits for minutes while an agent works, so it stays small:
// only the process that compresses loads the library.

const workerLock = 'worker.lock'
const look = 1_000
const lookAfterFailure = 10_000
// Jobs that are postponed for longer, or that fail now, are left to the next hook or sweep.
const maxWait = 2 * 60 * 60_000
const maxFailures = 30

/** Starts the worker detached, so that it outlives the hook and the agent. */
export function startWorker(): 'started' | 'there already' | 'off' {
  if (process.env.TENFOLD_HOOK_WORKER === 'off') return 'off'
  const folder = statePlace()
  // A worker that is about to end checks the queue once more after it gives up its lock.
  if (isLockHeld(join(folder, workerLock))) return 'there already'
  const path = join(folder, 'worker.log')
  keepSmall(path)
  const log = openSync(path, 'a', 0o600)
  try {
    const child = spawn(process.execPath, [programPath, 'sweep-worker'], {
      cwd: folder,
      detached: true,
      windowsHide: true,
      stdio: ['ignore', log, log],
      env: { ...process.env, [ownMarker]: '1' },
    })
    // The job remains in the queue.
    child.once('error', (error) => logHook({ fault: `the worker cannot be started: ${error.message}` }))
    child.unref()
  } finally {
    closeSync(log)
  }
  return 'started'
}

function isLockHeld(path: string): boolean {
  const ageOf = (): number => Date.now() - statSync(path).mtimeMs
  return unlessRefused(() => !isAbandoned(readFileSync(path, 'utf8'), ageOf()), false, 'ENOENT')
}

/** A second worker ends at once; the first checks the queue once more after it gives up its lock. */
export async function runWorker(): Promise<void> {
  const lockPath = join(statePlace(), workerLock)
  for (let more = true; more && soonest() !== undefined; ) {
    const lock = await holdLock(lockPath)
    if ('heldBy' in lock) return
    try {
      more = await workWhileThereIs()
    } finally {
      await lock.release()
    }
  }
}

/** Returns false after too many failures. */
async function workWhileThereIs(): Promise<boolean> {
  let failures = 0
  for (let due = soonest(); due !== undefined; due = soonest()) {
    if (due > Date.now()) {
      await sleep(look)
      continue
    }
    const child = spawn(process.execPath, [programPath, 'sweep', '--queued', '--json'], { stdio: 'inherit' })
    await new Promise<unknown>((ended) => child.once('error', ended).once('close', ended))
    const left = soonest()
    if (left === undefined || left > Date.now()) failures = 0
    // A sweep is running, or the fault may pass.
    else if (failures++ < maxFailures) await sleep(lookAfterFailure)
    else return false
  }
  return true
}

function soonest(): number | undefined {
  const first = Math.min(...peekJobs().map(dueAt))
  return first - Date.now() < maxWait ? first : undefined
}
