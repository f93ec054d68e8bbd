import { spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isAbandoned } from '@tenfold/storage-fs/lock'
import { programPath } from '../../own-package.ts'
import { statePlace } from '../../state/state-folder.ts'
import { unlessRefused } from '../../terminal/thrown.ts'
import { ownMarker } from './hook-agents.ts'
import { keepSmall, logHook } from './hook-log.ts'

export const workerLock = 'worker.lock'

/**
 * Starts the process that works off the queue, in a session of its own so that it outlives the hook and the agent; its
 * output goes to `worker.log`. Does nothing if one is already waiting, or with TENFOLD_HOOK_WORKER=off.
 */
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
