import { option, type ValuesOf } from './option.ts'
import { parseSize, timeLimit, wholeNumber } from './parsers.ts'

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
  return {
    maxLogMs: logTime,
    maxLogMegabytes: logMemory === undefined ? undefined : Math.ceil(logMemory / 2 ** 20),
  }
}
