import { readFileSync, readlinkSync } from 'node:fs'

/**
 * The process that holds a lock. `host` is the boot and the pid namespace, absent if the system does not report them.
 */
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

/** True only if the process has certainly ended: same boot, same pid namespace, no such pid. */
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
    // Not Linux, or /proc is hidden: only the age of a lock then shows that its process is dead.
    return undefined
  }
}
