import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import {
  type Reader,
  redactSession,
  type Session,
  sessionToAtif,
  sessionToJsonl,
  sessionToMarkdown,
  TenfoldError,
} from '@tenfold/core'
import { readLog } from '../logs/read-log.ts'
import { makeRedactors, type RedactOptions } from '../options/redact-options.ts'
import type { CommandContext } from '../terminal/command-context.ts'
import { safeJson, toSafeJson } from '../terminal/json-output.ts'
import { showProgress } from '../terminal/progress.ts'

export const conversions = ['tenfold', 'atif', 'markdown'] as const

/** Options of `tenfold convert`, parsed and checked. */
export interface ConvertOptions extends RedactOptions {
  readonly to: (typeof conversions)[number]
  readonly output?: string | undefined
  readonly format?: string | undefined
  readonly maxLogSize?: number | undefined
  readonly full?: true | undefined
}

/** Reads a log and writes it in another form, to stdout or whole to a file. */
export async function convertLog(
  log: string,
  options: ConvertOptions,
  readers: readonly Reader[],
  { terminal, signal }: CommandContext,
): Promise<Session> {
  const { output = '-', format, maxLogSize } = options
  const toStdout = output === '-'
  const progress = showProgress(terminal, !toStdout)
  const { session: read } = await readLog(log, { readers, format, maxLogSize, signal, progress })
  const session = redactSession(read, await makeRedactors(options))
  const pieces = piecesOf(session, options)
  if (toStdout) for (const piece of pieces) terminal.write(piece)
  else await writeWhole(output, pieces, signal)
  progress.clear()
  return session
}

function* piecesOf(session: Session, { to, full }: ConvertOptions): Generator<string> {
  if (to === 'tenfold') for (const line of sessionToJsonl(session)) yield safeJson(line)
  else if (to === 'atif') yield `${toSafeJson(sessionToAtif(session), 2)}\n`
  else yield* sessionToMarkdown(session, full ? { maxLength: Number.POSITIVE_INFINITY } : {})
}

/** Writes to a temporary name first, so that a file of this name is always complete. */
async function writeWhole(path: string, pieces: Iterable<string>, signal: AbortSignal): Promise<void> {
  const temporary = `${path}.${process.pid}.tmp`
  try {
    await pipeline(Readable.from(pieces), createWriteStream(temporary, { flags: 'wx' }), { signal })
    await rename(temporary, path)
  } catch (cause) {
    await rm(temporary, { force: true })
    if (!(cause instanceof Error && 'syscall' in cause)) throw cause
    throw new TenfoldError('out-failed', `The output cannot be written: ${cause.message}.`, { cause })
  }
}
