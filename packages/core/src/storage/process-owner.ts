import { randomBytes } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'

/** The process that holds a lock or a lease. Values that the system does not report are absent. */
export interface LockOwner {
  readonly pid: number
  /** Boot id and pid namespace, because a container that shares the folder numbers its processes independently. */
  readonly host?: string
  /** Start of the process in ticks since boot, because its number may be reused. */
  readonly began?: string
}

let own: LockOwner | undefined

export function thisOwner(): LockOwner {
  own ??= ownerAt(process.pid)
  return own
}

export function ownerAt(pid: number): LockOwner {
  const host = readHost()
  const began = beganAt(pid)
  return { pid, ...(host !== undefined && { host }), ...(began !== undefined && { began }) }
}

/** Returns the content of a new lock of this process; no two are equal. */
export function newLock(): string {
  return JSON.stringify({ token: randomBytes(8).toString('hex'), ...thisOwner() })
}

/** Returns the owner that a lock names; undefined if the lock is empty or incomplete. */
export function ownerOf(lock: string): LockOwner | undefined {
  let value: unknown
  try {
    value = JSON.parse(lock)
  } catch {
    // The owner was killed before it wrote the content.
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

/**
 * True only if the owner has certainly ended. Machines that share a folder cannot see each other's processes; with
 * `oneMachine`, no other machine uses it, so an owner from an earlier boot has ended too.
 */
export function hasEnded(owner: LockOwner, oneMachine = false): boolean {
  const { host } = thisOwner()
  if (host === undefined) return oneMachine && owner.host === undefined && !isAlive(owner.pid)
  if (host !== owner.host) return oneMachine && bootOf(owner.host) !== bootOf(host)
  if (!isAlive(owner.pid)) return true
  return owner.began !== undefined && beganAt(owner.pid) !== owner.began
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH')
  }
}

function bootOf(host: string | undefined): string | undefined {
  return host?.split(' ')[0]
}

function readHost(): string | undefined {
  try {
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${readlinkSync('/proc/self/ns/pid')}`
  } catch {
    // Not Linux, or /proc is hidden: then only the age of a lock or its process id can show that its process is dead.
    return undefined
  }
}

/**
 * Returns when a process started: field 22 of /proc/<pid>/stat, after a name that may contain spaces and brackets.
 * Undefined for a zombie: an ended process whose parent has not collected it, which in a container may last forever.
 */
function beganAt(pid: number): string | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19]
  } catch {
    // Not Linux, or the process has ended.
    return undefined
  }
}
