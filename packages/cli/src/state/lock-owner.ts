import { readFileSync, readlinkSync } from 'node:fs'
import { errorCode } from '../terminal/thrown.ts'

/** The process that holds a lock. What the system does not report is absent. */
export interface LockOwner {
  readonly pid: number
  /** Boot and pid namespace: a container that shares the folder numbers its own processes independently. */
  readonly host?: string
  /** When the process began, in ticks since boot, since its number may be reused later. */
  readonly began?: string
}

/** This process, as the owner of a lock. */
export function thisOwner(): LockOwner {
  const host = readHost()
  const began = beganAt(process.pid)
  return { pid: process.pid, ...(host !== undefined && { host }), ...(began !== undefined && { began }) }
}

/** True only if the owner has certainly ended. */
export function hasEnded(owner: LockOwner): boolean {
  const host = readHost()
  if (host === undefined) return owner.host === undefined && !isAlive(owner.pid)
  if (host !== owner.host) return bootOf(owner.host) !== bootOf(host)
  if (!isAlive(owner.pid)) return true
  return owner.began !== undefined && beganAt(owner.pid) !== owner.began
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return errorCode(error) !== 'ESRCH'
  }
}

function bootOf(host: string | undefined): string | undefined {
  return host?.split(' ')[0]
}

function readHost(): string | undefined {
  try {
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${readlinkSync('/proc/self/ns/pid')}`
  } catch {
    // Not Linux, or /proc is hidden: the owner is then identified by its number, or by the age of the lock.
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
