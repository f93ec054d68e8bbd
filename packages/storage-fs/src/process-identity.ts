import { readFileSync, readlinkSync } from 'node:fs'

/** Which process holds a lock. `host` is the boot and the pid namespace, absent where the system does not tell them. */
export interface ProcessIdentity {
  readonly host?: string
  readonly pid: number
}

let host: string | undefined | null = null

/** Identity of this process. Two containers that share a folder have the same pids, but not the same namespace. */
export function thisProcess(): ProcessIdentity {
  if (host === null) host = readHost()
  return { pid: process.pid, ...(host !== undefined && { host }) }
}

/** True only where it is certain that the process has ended: same boot, same pid namespace, no such pid. */
export function hasEnded(other: ProcessIdentity): boolean {
  const self = thisProcess()
  if (self.host === undefined || self.host !== other.host) return false
  try {
    process.kill(other.pid, 0)
    return false
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH'
  }
}

function readHost(): string | undefined {
  try {
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${readlinkSync('/proc/self/ns/pid')}`
  } catch {
    // No Linux, or /proc is hidden: locks of dead processes are then told by their age alone.
    return undefined
  }
}
