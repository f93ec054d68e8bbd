import { existsSync } from 'node:fs'
import { TenfoldError } from '@tenfold/core'
import { bundleKinds } from '@tenfold/core/bundle'
import { cleanLine } from '@tenfold/core/internal'
import { isRemoteStore } from '../state/trust.ts'
import { defaultStore } from '../store/project-store.ts'
import { option, type ValuesOf } from './option.ts'
import { notEmpty, parseSize, parseStore, parseTrack, timeAt, timeLimit, wholeNumber } from './parsers.ts'

// Options that several commands share.

export const storeOption = option(
  '--store <store>',
  'bundle store: a folder, or s3://bucket/prefix?endpoint=…',
  {
    env: 'TENFOLD_STORE',
    // A getter, because the default depends on the working folder.
    get default() {
      return defaultStore()
    },
    shown: '.agents/bundles of the project',
    parse: parseStore,
  },
)

/** For commands that would print nothing if the store is missing: a store that the user named must exist. */
export const storeToRead: typeof storeOption = {
  ...storeOption,
  complete: async ({ store }) => {
    const place = String(store)
    const isNamed = place !== defaultStore() && place !== process.env.TENFOLD_STORE
    if (isNamed && !isRemoteStore(place) && !existsSync(place)) throw noStore(place)
    return {}
  },
}

export function noStore(place: string): TenfoldError {
  return new TenfoldError('no-store', `There is no store in ${cleanLine(place)}; check the path.`)
}

export const trackOption = (description: string) =>
  option('--track <name>', description, { parse: parseTrack })

export const trackOfLatest = option('--track <name>', 'track whose LATEST to use', {
  parse: parseTrack,
  default: 'main',
})

export const taskOption = (description: string) =>
  option('--task <id>', description, { parse: notEmpty('a task') })

export const kindOption = (description: string) =>
  option('--kind <kind>', description, { choices: bundleKinds })

export const defaultKindOption = option('--kind <kind>', 'kind of the bundles', {
  choices: bundleKinds,
  default: 'context',
})

/** The kind of new bundles. `auto` chooses it by the phase in which a session ended. */
export const madeKindOption = option(
  '--kind <kind>',
  'kind of the bundles; auto: by the phase that the session is in',
  { choices: [...bundleKinds, 'auto'], default: 'context' },
)

export const limitOption = option('--limit <n>', 'show at most n', { parse: wholeNumber(1) })

export const madeSinceOption = option(
  '--since <time>',
  'only bundles made since a date (UTC), or since 12h, 7d or 2w ago',
  { parse: timeAt('start') },
)

export const changedSinceOption = option(
  '--since <time>',
  'only logs in folders that changed since a date, or an age such as 7d',
  { parse: timeAt('start') },
)

export const maxLogSizeOption = option(
  '--max-log-size <size>',
  'largest log to read, by its decompressed size: bytes, or 800MB, 2GB, 2GiB (default: 512MiB)',
  { env: 'TENFOLD_MAX_LOG_SIZE', parse: parseSize },
)

export const dumpNames = 'LATEST, an id or its beginning, a task, or the path of an export'

export const bundleNames =
  'LATEST, an id or its beginning, a session, a task, a track, a kind, or the path of a .json or .md file'

export const logOptions = [
  option(
    '--concurrency <n>',
    'logs to compress at a time, each in its own thread (default: the number of cores)',
    { parse: wholeNumber(1, 64) },
  ),
  option(
    '--log-time <time>',
    'give up on a log that takes longer, such as 90s or 10m (default: no limit; in a queue 1h)',
    { parse: timeLimit },
  ),
  option(
    '--log-memory <size>',
    'give up on a log that needs more memory for its events, such as 2GB (default: the limit of Node)',
    { parse: parseSize },
  ),
] as const

export function limitsOfLog({ logTime, logMemory }: ValuesOf<typeof logOptions>) {
  return { maxLogMs: logTime, maxLogMegabytes: logMemory && Math.ceil(logMemory / 2 ** 20) }
}
