import { addAbortSignal } from 'node:stream'
import { type LogInput, readSession, type Session } from '@tenfold/core'
import { type OpenLog, openLog } from '@tenfold/core/readers'
import type { Reading } from '../options/reader-options.ts'
import type { Progress } from '../terminal/progress.ts'

export interface OpenArgumentOptions {
  readonly reading: Reading
  readonly signal: AbortSignal
}

/** The input of the library for an argument; `-` is stdin, and `signal` ends the wait for its next bytes. */
export function inputOf(log: string, signal: AbortSignal): LogInput {
  return log === '-' ? addAbortSignal(signal, process.stdin) : log
}

export async function openArgument(log: string, { reading, signal }: OpenArgumentOptions): Promise<OpenLog> {
  return await openLog(inputOf(log, signal), {
    ...reading,
    ...(log === '-' && { name: 'stdin' }),
  })
}

export async function readLog(
  log: string,
  { progress, ...options }: OpenArgumentOptions & { readonly progress: Progress },
): Promise<{ readonly open: OpenLog; readonly session: Session }> {
  const { reading, signal } = options
  const open = await openArgument(log, options)
  const session = await readSession(open, {
    readers: reading.readers,
    format: reading.format,
    signal,
    onProgress: (bytes, total) =>
      progress.show(log, { step: 'read', bytes, ...(total !== undefined && { total }) }),
  })
  return { open, session }
}
