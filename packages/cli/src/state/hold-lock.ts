import { createHash, randomBytes } from 'node:crypto'
import { closeSync, openSync, readFileSync, statSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { errorCode } from '../terminal/thrown.ts'
import { hasEnded, type LockOwner, thisOwner } from './lock-owner.ts'

/** A lock that is held for as long as the work takes. */
export interface HeldLock {
  release(): void
}

// The holder touches its lock. One untouched for this long is stale if its owner cannot be identified.
const beat = 15_000
const staleAfter = 10 * 60_000
// A lock is empty between its creation and its content; a process killed at that moment leaves it so.
const emptyStaleAfter = 5_000

/**
 * Takes the lock file at `path`, created with O_EXCL and naming its owner. The lock of a process that has ended is
 * taken over at once. Returns the owner if it is held.
 */
export function holdLock(path: string): HeldLock | { readonly heldBy: LockOwner | undefined } {
  const mine = JSON.stringify({ token: randomBytes(8).toString('hex'), ...thisOwner() })
  for (let attempt = 0; attempt < 10; attempt++) {
    if (create(path, mine)) return held(path, mine)
    const holder = readLock(path)
    if (holder === undefined) continue
    if (!isStale(path, holder)) return { heldBy: parseOwner(holder) }
    breakLock(path, holder)
  }
  return { heldBy: parseOwner(readLock(path) ?? '') }
}

/** Whether a live process holds the lock. */
export function isLockHeld(path: string): boolean {
  const holder = readLock(path)
  return holder !== undefined && !isStale(path, holder)
}

function held(path: string, mine: string): HeldLock {
  const timer = setInterval(() => {
    if (readLock(path) !== mine) return
    const now = new Date()
    utimesSync(path, now, now)
  }, beat)
  timer.unref()
  return {
    release() {
      clearInterval(timer)
      if (readLock(path) === mine) removeIfThere(path)
    },
  }
}

function create(path: string, content: string): boolean {
  let file: number
  try {
    file = openSync(path, 'wx', 0o600)
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false
    throw error
  }
  try {
    writeFileSync(file, content)
  } finally {
    closeSync(file)
  }
  return true
}

function isStale(path: string, holder: string): boolean {
  const age = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now())
  const owner = parseOwner(holder)
  if (owner === undefined) return age > emptyStaleAfter
  // For a process in another container, only the beat shows that it is alive.
  return hasEnded(owner) || (owner.host !== thisOwner().host && age > staleAfter)
}

/**
 * Removes the lock that `holder` left behind. Only one of the processes that want to break this lock may do so, through
 * a claim named after its content, and it checks the lock again first: so nobody removes the lock of the next owner by
 * mistake.
 */
function breakLock(path: string, holder: string): void {
  const claim = `${path}.${createHash('sha256').update(holder).digest('hex').slice(0, 16)}`
  if (!create(claim, '')) {
    const age = Date.now() - (statSync(claim, { throwIfNoEntry: false })?.mtimeMs ?? Date.now())
    // The process that claimed it was killed in turn.
    if (age > emptyStaleAfter) removeIfThere(claim)
    return
  }
  try {
    if (readLock(path) === holder) removeIfThere(path)
  } finally {
    removeIfThere(claim)
  }
}

function readLock(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  }
}

function removeIfThere(path: string): void {
  try {
    unlinkSync(path)
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
  }
}

function parseOwner(text: string): LockOwner | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    // Empty or partly written: its owner was killed between creation and content.
    return undefined
  }
  if (typeof value !== 'object' || value === null || !('pid' in value) || typeof value.pid !== 'number')
    return undefined
  return {
    pid: value.pid,
    ...('host' in value && typeof value.host === 'string' && { host: value.host }),
    ...('began' in value && typeof value.began === 'string' && { began: value.began }),
  }
}
