import {
  type Reader,
  redactSession,
  type Session,
  sessionToAtif,
  sessionToJsonl,
  sessionToMarkdown,
} from '@tenfold/core'
import { readLog } from '../logs/read-log.ts'
import { makeRedactors, type RedactOptions } from '../options/redact-options.ts'
import type { CommandContext } from '../terminal/command-context.ts'
import { safeJson, toSafeJson } from '../terminal/json-output.ts'
import { showProgress } from '../terminal/progress.ts'
import { writeWhole } from '../terminal/write-whole.ts'

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
