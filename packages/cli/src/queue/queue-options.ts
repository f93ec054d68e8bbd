import { InvalidArgumentError, Option } from 'commander'
import type { CompressOptions } from '../compress/compress-options.ts'

/** Which queue a command works with. */
export interface PlaceOptions {
  readonly redis: string
  readonly queue: string
}

/** Options of `tenfold queue add`. */
export interface AddOptions extends CompressOptions, PlaceOptions {
  readonly upload?: boolean | undefined
  readonly attempts: number
}

/** Requests of a provider in some time. */
interface RateOption {
  readonly requests: number
  readonly perMs: number
}

/** Options of `tenfold queue work`. */
export interface WorkOptions
  extends PlaceOptions,
    Pick<
      CompressOptions,
      | 'baseUrl'
      | 'concurrency'
      | 'json'
      | 'logMemory'
      | 'logTime'
      | 'maxLogSize'
      | 'modelConcurrency'
      | 'prices'
      | 'readers'
      | 'redactEnv'
    > {
  readonly allowLogs?: readonly string[] | undefined
  readonly allowStore?: readonly string[] | undefined
  readonly rate?: Readonly<Record<string, RateOption>> | undefined
  readonly untilEmpty?: true | undefined
}

export function redisOption(): Option {
  return new Option(
    '--redis <url>',
    'Redis of the queue: redis://host:port, rediss://…, or the path of a socket',
  )
    .env('TENFOLD_REDIS_URL')
    .default('redis://127.0.0.1:6379')
}

export function queueOption(): Option {
  return new Option('--queue <name>', 'name of the queue; one Redis can hold several')
    .default('tenfold')
    .argParser(parseQueue)
}

export function rateOption(): Option {
  return new Option(
    '--rate <rate>',
    'requests that a provider takes, of all workers together: anthropic=50/m or openai=10/s; may be repeated',
  ).argParser(parseRate)
}

/** Whether a value of `--redis` can be one. A parser of the option would print it with its password if not. */
export function isRedisPlace(value: string): boolean {
  return value.startsWith('/') || (URL.canParse(value) && /^rediss?:$/.test(new URL(value).protocol))
}

function parseQueue(value: string): string {
  if (/^[\w.-]{1,100}$/.test(value)) return value
  throw new InvalidArgumentError(
    `expected a name of letters, digits, ".", "_" and "-", got ${JSON.stringify(value)}`,
  )
}

const unitMs = new Map([
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
])

function parseRate(
  value: string,
  before: Readonly<Record<string, RateOption>> = {},
): Readonly<Record<string, RateOption>> {
  const [, provider = '', requests, unit = ''] =
    /^(anthropic|openai|ollama)=(\d{1,7})\/([smh])$/.exec(value) ?? []
  const perMs = unitMs.get(unit)
  if (perMs !== undefined && Number(requests) > 0)
    return { ...before, [provider]: { requests: Number(requests), perMs } }
  throw new InvalidArgumentError(
    `expected a provider and its requests in a second, minute or hour such as anthropic=50/m, got ${JSON.stringify(value)}`,
  )
}
