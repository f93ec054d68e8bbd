import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { holdLock } from '@tenfold/storage-fs/lock'
import { programPath } from '../../own-package.ts'
import { statePlace } from '../../state/state-folder.ts'
import { dueAt, peekJobs } from '../hooks/job-queue.ts'
import { workerLock } from '../hooks/start-worker.ts'

// Waits for minutes while an agent works, so it is small: the process that compresses loads the library.

const look = 1_000
const lookAfterFailure = 10_000
// Jobs that are postponed for longer, or cannot be done now, are left to the next hook or sweep.
const maxWait = 2 * 60 * 60_000
const maxFailures = 30

/**
 * Works off the queue until it is empty, waiting for postponed jobs. Only one worker runs at a time: a second one ends
 * at once, and the first checks the queue once more after it gives up its lock.
 */
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

/** Returns false if it gave up. */
async function workWhileThereIs(): Promise<boolean> {
  let failures = 0
  for (let due = soonest(); due !== undefined; due = soonest()) {
    if (due > Date.now()) {
      await sleep(look)
      continue
    }
    await compressDue()
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

async function compressDue(): Promise<void> {
  const child = spawn(process.execPath, [programPath, 'sweep', '--queued', '--json'], { stdio: 'inherit' })
  await new Promise<void>((ended) => {
    child.once('error', () => ended())
    child.once('close', () => ended())
  })
}
