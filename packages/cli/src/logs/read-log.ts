import { addAbortSignal } from 'node:stream'
import { type LogInput, type OpenLog, openLog, type Reader, readSession, type Session } from '@tenfold/core'
import type { Progress } from '../terminal/progress.ts'

/** How to open a log that an argument names. */
export interface OpenArgumentOptions {
  readonly readers: readonly Reader[]
  readonly format?: string | undefined
  readonly maxLogSize?: number | undefined
  readonly signal: AbortSignal
}

/** The input of the library for an argument; `-` is stdin, and `signal` ends the wait for its next bytes. */
export function inputOf(log: string, signal: AbortSignal): LogInput {
  return log === '-' ? addAbortSignal(signal, process.stdin) : log
}

/** Opens the log of an argument, `-` for stdin. */
export async function openArgument(
  log: string,
  { readers, format, maxLogSize, signal }: OpenArgumentOptions,
): Promise<OpenLog> {
  return await openLog(inputOf(log, signal), {
    readers,
    format,
    maxLogBytes: maxLogSize,
    ...(log === '-' && { name: 'stdin' }),
  })
}

/** Reads the log of an argument, `-` for stdin, without redacting it. Shows its progress. */
export async function readLog(
  log: string,
  { progress, ...options }: OpenArgumentOptions & { readonly progress: Progress },
): Promise<{ readonly open: OpenLog; readonly session: Session }> {
  const { readers, format, signal } = options
  const open = await openArgument(log, options)
  const session = await readSession(open, {
    readers,
    signal,
    format,
    onProgress: (bytes, total) =>
      progress.show(log, { step: 'read', bytes, ...(total !== undefined && { total }) }),
  })
  return { open, session }
}
