import type { Command } from 'commander'
import { parseSize } from './max-log-size.ts'
import { wholeNumber } from './options.ts'
import { timeLimit } from './time-options.ts'

/** What logs that are compressed in threads may take. */
export interface LogOptions {
  /** @default the number of cores */
  readonly concurrency?: number | undefined
  /** Milliseconds that one log may take. */
  readonly logTime?: number | undefined
  /** Bytes of memory that one log may take. */
  readonly logMemory?: number | undefined
}

export function addLogOptions(command: Command): void {
  command
    .option(
      '--concurrency <n>',
      'logs to compress at a time, each in a thread of its own (default: the number of cores)',
      wholeNumber(1, 64),
    )
    .option(
      '--log-time <time>',
      'give up a log that takes longer, such as 90s or 10m (default: none, of a queue 1h)',
      timeLimit,
    )
    .option(
      '--log-memory <size>',
      'give up a log that needs more memory for its events, such as 2GB (default: what Node allows)',
      parseSize,
    )
}

/** The limits of one log, as the library takes them. */
export function limitsOfLog({ logTime, logMemory }: LogOptions) {
  return {
    maxLogMs: logTime,
    maxLogMegabytes: logMemory === undefined ? undefined : Math.ceil(logMemory / 2 ** 20),
  }
}
