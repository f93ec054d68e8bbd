import type { Rates } from '@tenfold/queue'
import {
  plannedKindOptions,
  queuedRedactOptions,
  readerOptions,
  redactEnvOption,
} from '../options/log-options.ts'
import {
  baseUrlOption,
  maxCostOption,
  modelConcurrencyOption,
  pricesOption,
  queuedModelOptions,
} from '../options/model-options.ts'
import { heading, option, optionOf, type ValuesOf } from '../options/option.ts'
import { changedSinceOption, logOptions, storeOption } from '../options/options.ts'
import { bad, listOf, wholeNumber } from '../options/parsers.ts'

const placeOptions = [
  option('--redis <url>', 'Redis of the queue: redis://host:port, rediss://…, or the path of a socket', {
    env: 'TENFOLD_REDIS_URL',
    default: 'redis://127.0.0.1:6379',
  }),
  option('--queue <name>', 'name of the queue; one Redis can hold several', {
    default: 'tenfold',
    parse: parseQueue,
  }),
] as const

export const addOptions = [
  ...placeOptions,
  storeOption,
  optionOf<{ readonly upload?: boolean | undefined }>(
    '--upload',
    'copy the logs into the store, for workers that do not see this folder (default for s3://)',
  ),
  optionOf('--no-upload', 'send only the paths of the logs'),
  option('--attempts <n>', 'how often to try a log if its failure may pass', {
    parse: wholeNumber(1, 100),
    default: 3,
  }),
  changedSinceOption,
  ...plannedKindOptions,
  option('--json', 'print one line of JSON per log'),
  ...queuedModelOptions,
  ...queuedRedactOptions,
] as const

export type AddOptions = ValuesOf<typeof addOptions>

export const workOptions = [
  ...placeOptions,
  option('--until-empty', 'end when the queue is empty'),
  option('--allow-logs <folder>', 'read only logs below this folder, whatever jobs name; may be repeated', {
    parse: listOf(String),
  }),
  option('--allow-store <store>', 'use only this store, or one below it: a folder or URL; may be repeated', {
    parse: listOf(String),
  }),
  ...logOptions,
  ...readerOptions,
  redactEnvOption,
  option('--json', 'print one line of JSON per log'),
  heading('Model options:'),
  option(
    '--rate <rate>',
    'requests that a provider takes, of all workers together: anthropic=50/m or openai=10/s; may be repeated',
    { parse: parseRate },
  ),
  baseUrlOption,
  modelConcurrencyOption,
  pricesOption,
] as const

export type WorkOptions = ValuesOf<typeof workOptions>

export const statusOptions = [
  ...placeOptions,
  option('--failures <n>', 'failed logs to print at most', { parse: wholeNumber(0), default: 20 }),
] as const

export const retryOptions = [...placeOptions, maxCostOption] as const

export const drainOptions = [...placeOptions, option('--failed', 'also remove the logs that failed')] as const

/** The fault of a `--redis` value. Not a parser of the option, which would print the URL with its password. */
export function placeFault({ redis }: ValuesOf<typeof placeOptions>): string | undefined {
  if (redis.startsWith('/') || (URL.canParse(redis) && /^rediss?:$/.test(new URL(redis).protocol)))
    return undefined
  return 'expected --redis to be a URL that begins with redis:// or rediss://, or the path of a socket'
}

function parseQueue(value: string): string {
  if (/^[\w.-]{1,100}$/.test(value)) return value
  throw bad('a name of letters, digits, ".", "_" and "-"', value)
}

function parseRate(value: string, before: Rates = {}): Rates {
  const [, provider = '', requests, unit = ''] =
    /^(anthropic|openai|ollama)=(\d{1,7})\/([smh])$/.exec(value) ?? []
  const perMs = { s: 1000, m: 60_000, h: 3_600_000 }[unit]
  if (perMs !== undefined && Number(requests) > 0)
    return { ...before, [provider]: { requests: Number(requests), perMs } }
  throw bad('a provider and its requests in a second, minute or hour such as anthropic=50/m', value)
}
