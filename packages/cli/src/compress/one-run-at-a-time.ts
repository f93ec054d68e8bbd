import { cleanLine, defaultReaders, withWorkLease } from '@tenfold/core'
import { hasEnded, newLock, ownerOf } from '@tenfold/storage-fs/lock'
import type { Terminal } from '../terminal/terminal.ts'
import { identifyLog, type LogToCompress } from './choose-logs.ts'
import { type CompressWork, failedOutcome, type LogOutcome, libraryOptions } from './compress-one.ts'

/**
 * Compresses a log while no other run compresses it into this store; waits for one that does, and takes its bundle.
 * Of what is to be compressed again, `doneBefore` has the bundles from before this run: what others did since then is
 * not done once more. Stdin and pipes cannot be identified before they are read, so they are compressed at once.
 */
export async function oneRunAtATime(
  log: LogToCompress,
  work: Omit<CompressWork, 'report'>,
  {
    doneBefore,
    terminal,
  }: { readonly doneBefore?: ReadonlySet<string> | undefined; readonly terminal: Terminal },
  compress: () => Promise<LogOutcome>,
): Promise<LogOutcome> {
  const { store, signal } = work
  if (store === undefined) return await compress()
  try {
    const digest = log.digest ?? (await digestOf(log, work))
    if (digest === undefined) return await compress()
    const lease = {
      owner: newLock(),
      hasEnded: isOver,
      signal,
      except: doneBefore,
      onWait({ owner }: { readonly owner?: string }) {
        const other = `another run${processText(owner)}`
        terminal.note(`${cleanLine(log.log)}: ${other} is compressing it; waiting for its bundle`)
      },
    }
    const result = await withWorkLease(store, digest, lease, async () => ({ outcome: await compress() }))
    return 'outcome' in result ? result.outcome : { log: log.log, known: result.known, elsewhere: true }
  } catch (error) {
    return failedOutcome(log.log, error, [], work)
  }
}

async function digestOf(log: LogToCompress, work: Omit<CompressWork, 'report'>): Promise<string | undefined> {
  const { options, signal } = work
  const identified = await identifyLog(log, {
    readers: options.readers ?? defaultReaders,
    signal,
    format: options.format,
    maxLogSize: options.maxLogSize,
    request: libraryOptions('', { ...work, report: () => {} }),
  })
  return identified?.digest
}

/** Only of processes of this machine it is known that they have ended. */
function isOver(owner: string): boolean {
  const other = ownerOf(owner)
  return other !== undefined && hasEnded(other)
}

function processText(owner: string | undefined): string {
  const other = owner === undefined ? undefined : ownerOf(owner)
  return other === undefined ? '' : ` (process ${other.pid})`
}
