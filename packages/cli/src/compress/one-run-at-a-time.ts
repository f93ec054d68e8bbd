import type { CompressOnceOptions } from '@tenfold/core'
import { cleanLine, withWorkLease } from '@tenfold/core/internal'
import type { Terminal } from '../terminal/terminal.ts'
import { identifyLog, type LogToCompress } from './choose-logs.ts'
import { type CompressWork, failedOutcome, type LogOutcome } from './compress-one.ts'

/**
 * Compresses a log while no other run compresses it into this store; waits for one that does, and takes its bundle.
 * Of what is to be compressed again, `doneBefore` has the bundles from before this run: what others did since then is
 * not done once more. Stdin and pipes cannot be identified before they are read, so `compress` takes their leases.
 */
export async function oneRunAtATime(
  log: LogToCompress,
  { store, library, options: { reading } }: CompressWork,
  { doneBefore, terminal }: { doneBefore?: ReadonlySet<string> | undefined; terminal: Terminal },
  compress: (lease: CompressOnceOptions['lease']) => Promise<LogOutcome>,
): Promise<LogOutcome> {
  const { signal } = library
  const onWait = ({ pid }: { readonly pid?: number | undefined }): void => {
    const other = pid === undefined ? 'another run' : `another run (process ${pid})`
    const name = log.log === '-' ? 'stdin' : cleanLine(log.log)
    terminal.note(`${name}: ${other} is compressing it; waiting for its bundle`)
  }
  if (store === undefined) return await compress({ onWait })
  try {
    const digest = log.digest ?? (await identifyLog(log, { reading, signal, library }))?.digest
    if (digest === undefined) return await compress({ onWait })
    const result = await withWorkLease(
      store,
      digest,
      { onWait, signal, except: doneBefore },
      async (held) => {
        const outcome = await compress(held)
        // What another run took over is that one's.
        if (outcome.error !== undefined) held.signal.throwIfAborted()
        return { outcome }
      },
    )
    return 'outcome' in result ? result.outcome : { log: log.log, known: result.known, elsewhere: true }
  } catch (error) {
    return failedOutcome(log.log, error, [], library)
  }
}
