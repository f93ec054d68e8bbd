import type { CompressOnceOptions } from '@tenfold/core'
import { cleanLine, type LeaseOptions, type Spending, withWorkLease } from '@tenfold/core/internal'
import type { Terminal } from '../terminal/terminal.ts'
import { identifyLog, type LogToCompress } from './choose-logs.ts'
import { type CompressWork, failedOutcome, type LogOutcome, libraryOptions } from './compress-one.ts'

/**
 * Works on items, at most `limit` at a time, and passes each result to `emit` in the order of the items, as soon as all
 * earlier ones are done. `work` must not reject.
 */
export async function runInOrder<T, R>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<R>,
  emit: (result: R) => Promise<void> | void,
): Promise<void> {
  const waiting = new Map<number, R>()
  let next = 0
  let shown = 0
  const worker = async (): Promise<void> => {
    for (const [index, item] of take()) {
      waiting.set(index, await work(item))
      for (let result = waiting.get(shown); result !== undefined; result = waiting.get(shown)) {
        waiting.delete(shown)
        shown += 1
        await emit(result)
      }
    }
  }
  function* take(): Generator<[number, T]> {
    while (next < items.length) {
      const index = next++
      yield [index, items[index] as T]
    }
  }
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker))
}

/**
 * Repeats work that the budget of the run refused while requests of other logs were under way: those reserve what they
 * may cost at most, and mostly cost less.
 */
export function withinBudget<T>(
  spending: Spending,
  work: (item: T) => Promise<LogOutcome>,
): (item: T) => Promise<LogOutcome> {
  const active = new Set<Promise<LogOutcome>>()
  return async (item) => {
    for (;;) {
      const before = spending.remainingCost()
      const running = work(item)
      active.add(running)
      const outcome = await running
      active.delete(running)
      const refused = outcome.error?.overBudget && (outcome.error.calls ?? []).length === 0
      if (!refused) return outcome
      while (spending.remainingCost() <= before && active.size > 0) await Promise.race(active)
      if (spending.remainingCost() <= before) return outcome
    }
  }
}

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
