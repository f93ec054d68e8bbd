import { randomBytes } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'

/** The process that holds a lock or a lease. What the system does not report is absent. */
export interface LockOwner {
  /** Number of the process. */
  readonly pid: number
  /** Boot and pid namespace: a container that shares the folder numbers its own processes independently. */
  readonly host?: string
  /** When the process began, in ticks since boot, since its number may be reused later. */
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

/** Content of a new lock of this process; no two are equal. */
export function newLock(): string {
  return JSON.stringify({ token: randomBytes(8).toString('hex'), ...thisOwner() })
}

/** Returns the owner that a lock names, undefined if it was left empty or half written. */
export function ownerOf(lock: string): LockOwner | undefined {
  let value: unknown
  try {
    value = JSON.parse(lock)
  } catch {
    // Its owner was killed between creation and content.
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
 * True only if the owner has certainly ended. Machines that share a folder cannot see each other's processes;
 * `oneMachine` says that only this one uses it, so that an owner of an earlier boot has ended too.
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
    // Not Linux, or /proc is hidden: only the age of a lock, or its number, then shows that its process is dead.
    return undefined
  }
}

/**
 * State and start of a process, fields 3 and 22 of /proc/<pid>/stat; the name before them may hold spaces and brackets.
 * Undefined for a zombie: a process that has ended but keeps its number until its parent collects it, in a container
 * perhaps forever.
 */
function beganAt(pid: number): string | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19]
  } catch {
    // Not Linux, or the process is gone.
    return undefined
  }
}
