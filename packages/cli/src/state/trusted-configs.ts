import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stateFolder, statePlace } from './state-folder.ts'

// A record is named after the digest of the file's bytes, so that a changed file is no longer trusted.

/** Whether the user has trusted a config file of these very bytes. */
export function isTrustedConfig(digest: string): boolean {
  return existsSync(recordPath(digest))
}

/** Trusts a config file as long as its bytes stay the same. */
export function trustConfig(digest: string, path: string): void {
  statePlace('trusted-configs')
  writeFileSync(recordPath(digest), `${JSON.stringify({ path, since: new Date().toISOString() })}\n`, {
    mode: 0o600,
  })
}

/** Stops trusting it; returns false if it was not trusted. */
export function distrustConfig(digest: string): boolean {
  if (!isTrustedConfig(digest)) return false
  rmSync(recordPath(digest), { force: true })
  return true
}

function recordPath(digest: string): string {
  return join(stateFolder(), 'trusted-configs', `${digest}.json`)
}
