import { realpathSync } from 'node:fs'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { TenfoldError } from '@tenfold/core'
import type { JobData } from './job.ts'

/** What a worker does for whoever can write to Redis. */
export interface AllowList {
  /** Folders whose logs may be read. @default all that this process can read; uploaded logs always */
  readonly allowLogs?: readonly string[] | undefined
  /** Folders and URLs of stores that may be used, with what is below them. @default all */
  readonly allowStores?: readonly string[] | undefined
}

/** Throws TenfoldError `not-allowed` if a job names a log or a store that a worker was not started for. */
export function assertAllowed({ store, log }: JobData, { allowLogs, allowStores }: AllowList): void {
  if (allowStores !== undefined && !allowStores.some((allowed) => isStoreBelow(allowed, store)))
    throw refused(`the store ${store}`, 'allowStores')
  const path = log.path ?? log.name
  if (
    log.files === undefined &&
    allowLogs !== undefined &&
    !allowLogs.some((folder) => isBelow(folder, path))
  )
    throw refused(`the log ${path}`, 'allowLogs')
}

function refused(what: string, option: string): TenfoldError {
  return new TenfoldError('not-allowed', `This worker does not use ${what} (option ${option}).`)
}

function isStoreBelow(allowed: string, store: string): boolean {
  if (!isUrl(allowed) || !isUrl(store)) return !isUrl(allowed) && !isUrl(store) && isBelow(allowed, store)
  // What comes after ? may name another server; dots may leave the prefix.
  const [place = '', query] = store.split('?')
  const [base = '', own] = allowed.split('?')
  const prefix = `${base.replace(/\/+$/, '')}/`
  return query === own && !/(?:^|\/)\.{1,2}(?:\/|$)|%/.test(place) && `${place}/`.startsWith(prefix)
}

function isUrl(place: string): boolean {
  return /^[a-z][a-z0-9+.-]+:\/\//i.test(place)
}

function isBelow(folder: string, path: string): boolean {
  return `${realOf(path)}${sep}`.startsWith(`${realOf(folder).replace(/[\\/]+$/, '')}${sep}`)
}

/** The path without links, as far as it exists. */
function realOf(path: string): string {
  const whole = resolve(path)
  try {
    return realpathSync(whole)
  } catch {
    // There is nothing at it, or a session of a log is named after it.
    return dirname(whole) === whole ? whole : join(realOf(dirname(whole)), basename(whole))
  }
}
