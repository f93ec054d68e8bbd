import { createHash } from 'node:crypto'
import { existsSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { readJson } from '../terminal/json-input.ts'
import { errorCode } from '../terminal/thrown.ts'
import { stateFolder, statePlace } from './state-folder.ts'

/** A store whose briefs the hooks may give to an agent. Kept in the state folder, where no repository can write. */
export interface TrustedStore {
  /** Real path of the store's folder. */
  readonly place: string
  /** ISO 8601. */
  readonly since: string
  /** `made`: tenfold created the store on this machine; `user`: the user trusted it with `tenfold trust`. */
  readonly by: 'made' | 'user'
}

/** The record of a store, or undefined if its briefs are not trusted. */
export function trustOf(store: string): TrustedStore | undefined {
  return readTrust(trustPath(store))
}

/** All trusted stores, by place. */
export function trustedStores(): TrustedStore[] {
  const folder = join(stateFolder(), 'trusted')
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .flatMap((name) => readTrust(join(folder, name)) ?? [])
    .sort((a, b) => (a.place < b.place ? -1 : 1))
}

/** Trusts a store from now on. A store that was created here stays recorded as such. */
export function trustStore(store: string, by: TrustedStore['by']): TrustedStore {
  const known = trustOf(store)
  if (known !== undefined) return known
  const trusted: TrustedStore = { place: realPlace(store), since: new Date().toISOString(), by }
  statePlace('trusted')
  writeFileSync(trustPath(store), `${JSON.stringify(trusted, null, 2)}\n`, { mode: 0o600 })
  return trusted
}

/** Stops trusting a store; returns false if it was not trusted. */
export function distrustStore(store: string): boolean {
  if (trustOf(store) === undefined) return false
  rmSync(trustPath(store), { force: true })
  return true
}

/** Whether a store is named by a URL, so it cannot be part of a cloned repository. */
export function isRemoteStore(store: string): boolean {
  return /^[a-z][a-z0-9+.-]+:\/\//i.test(store)
}

/** Whether a folder holds anything that Tenfold stores. */
export function holdsStore(store: string): boolean {
  return ['tracks', 'bundles', 'checkpoints', 'archive', 'dumps'].some((name) =>
    existsSync(join(store, name)),
  )
}

function readTrust(path: string): TrustedStore | undefined {
  // Absent, or partly written by a process that was killed: not trusted.
  const value = readJson(path)
  return isTrust(value) && trustPath(value.place) === path ? value : undefined
}

function isTrust(value: unknown): value is TrustedStore {
  if (typeof value !== 'object' || value === null) return false
  const { place, since, by } = value as Partial<Record<keyof TrustedStore, unknown>>
  return typeof place === 'string' && typeof since === 'string' && (by === 'made' || by === 'user')
}

function trustPath(store: string): string {
  const name = createHash('sha256').update(realPlace(store)).digest('hex').slice(0, 32)
  return join(stateFolder(), 'trusted', `${name}.json`)
}

/** Resolves the links of a path, as far as it exists: the folder of a store is created by its first write. */
function realPlace(store: string): string {
  const path = resolve(store)
  try {
    return realpathSync(path)
  } catch (error) {
    const parent = dirname(path)
    if (errorCode(error) === undefined || parent === path) throw error
    return join(realPlace(parent), basename(path))
  }
}
