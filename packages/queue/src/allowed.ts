import { realpathSync } from 'node:fs'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { TenfoldError } from '@tenfold/core'
import type { JobData } from './job.ts'

/** What a worker may access for jobs, which anyone who can write to Redis can add. */
export interface AllowList {
  /** Folders whose logs may be read. Uploaded logs may always be read. @default all that this process can read */
  readonly allowLogs?: readonly string[] | undefined
  /** Folders and URLs of stores that may be used, including stores below them. @default all */
  readonly allowStores?: readonly string[] | undefined
}

/** Throws TenfoldError `not-allowed` if a job names a log or a store that the worker may not use. */
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
  return new TenfoldError('not-allowed', `This worker may not use ${what} (option ${option}).`)
}

function isStoreBelow(allowed: string, store: string): boolean {
  if (!isUrl(allowed) || !isUrl(store)) return !isUrl(allowed) && !isUrl(store) && isBelow(allowed, store)
  // The query may name another server, and dots may lead out of the prefix.
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

/** Resolves symbolic links in the path, as far as it exists. */
function realOf(path: string): string {
  const whole = resolve(path)
  try {
    return realpathSync(whole)
  } catch {
    // Nothing is at the path, or it ends with the id of a session in a log.
    return dirname(whole) === whole ? whole : join(realOf(dirname(whole)), basename(whole))
  }
}
