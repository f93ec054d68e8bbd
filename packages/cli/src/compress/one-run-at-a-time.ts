import type { CompressOnceOptions } from '@tenfold/core'
import { cleanLine, type LeaseOptions, withWorkLease } from '@tenfold/core/internal'
import type { Terminal } from '../terminal/terminal.ts'
import { identifyLog, type LogToCompress } from './choose-logs.ts'
import { type CompressWork, failedOutcome, type LogOutcome, libraryOptions } from './compress-one.ts'

/**
 * Compresses a log while no other run compresses it into this store; waits for one that does, and takes its bundle.
 * Of what is to be compressed again, `doneBefore` has the bundles from before this run: what others did since then is
 * not done once more. Stdin and pipes cannot be identified before they are read, so `compress` takes their leases.
 */
export async function oneRunAtATime(
  log: LogToCompress,
  work: Omit<CompressWork, 'report'>,
  {
    doneBefore,
    terminal,
  }: { readonly doneBefore?: ReadonlySet<string> | undefined; readonly terminal: Terminal },
  compress: (lease: CompressOnceOptions['lease']) => Promise<LogOutcome>,
): Promise<LogOutcome> {
  const { store, signal } = work
  const lease: LeaseOptions = {
    onWait({ pid }) {
      const other = pid === undefined ? 'another run' : `another run (process ${pid})`
      const name = log.log === '-' ? 'stdin' : cleanLine(log.log)
      terminal.note(`${name}: ${other} is compressing it; waiting for its bundle`)
    },
  }
  if (store === undefined) return await compress(lease)
  try {
    const digest = log.digest ?? (await digestOf(log, work))
    if (digest === undefined) return await compress(lease)
    const options = { ...lease, signal, except: doneBefore }
    const result = await withWorkLease(store, digest, options, async (held) => {
      const outcome = await compress(held)
      // What another run took over is that one's.
      if (outcome.error !== undefined) held.signal.throwIfAborted()
      return { outcome }
    })
    return 'outcome' in result ? result.outcome : { log: log.log, known: result.known, elsewhere: true }
  } catch (error) {
    return failedOutcome(log.log, error, [], work)
  }
}

async function digestOf(log: LogToCompress, work: Omit<CompressWork, 'report'>): Promise<string | undefined> {
  const { options, signal } = work
  const identified = await identifyLog(log, {
    reading: options.reading,
    signal,
    request: libraryOptions('', { ...work, report: () => {} }),
  })
  return identified?.digest
}
