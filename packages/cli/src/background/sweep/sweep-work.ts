import { defaultPrices, trackSpending, withSharedSpending } from '@tenfold/core'
import { runInOrder } from '../../compress/run-in-order.ts'
import { limitsOf, makeSummarizers } from '../../options/model-options.ts'
import { makeRedactors } from '../../options/redact-options.ts'
import type { CommandContext } from '../../terminal/command-context.ts'
import { compressTarget, type OpenedStore, type SweepWork } from './compress-target.ts'
import type { KnownLogs } from './known-logs.ts'
import { compressOptionsOf, type SweepOptions } from './sweep-options.ts'
import type { SweepReport } from './sweep-report.ts'
import type { SweepTarget, SweptLog } from './sweep-target.ts'
import { settleJob } from './work-queue.ts'

/** Everything needed to compress the targets of a sweep. */
export interface TargetWork extends SweepWork {
  readonly concurrency: number
  readonly signal: AbortSignal
  readonly stores: Map<string, Promise<OpenedStore>>
}

/** Makes the summarizers, redactors and limits that the options ask for. Throws if they are not available. */
export async function startWork(
  options: SweepOptions,
  { terminal, signal }: CommandContext,
  report: SweepReport,
  { seen, version }: KnownLogs,
): Promise<TargetWork> {
  const limits = await limitsOf(options)
  const { maxCost, prices = defaultPrices } = limits
  const spending = trackSpending({ prices, maxCost })
  const summarizers = await makeSummarizers(options)
  return {
    work: {
      options: compressOptionsOf(options),
      summarizers: summarizers.map((summarizer) => withSharedSpending(summarizer, spending)),
      redactors: await makeRedactors(options),
      limits,
      signal,
    },
    seen,
    version,
    terminal,
    signal,
    report,
    concurrency: options.concurrency,
    stores: new Map(),
  }
}

/**
 * Compresses targets, several stores at a time; those of one store one at a time, oldest first, so that the newest
 * becomes its LATEST.
 */
export async function compressTargets(targets: readonly SweepTarget[], work: TargetWork): Promise<void> {
  const byStore = new Map<string, SweepTarget[]>()
  for (const target of targets) {
    const group = byStore.get(target.store)
    if (group === undefined) byStore.set(target.store, [target])
    else group.push(target)
  }
  const done = new Set<string>()
  const all = async (group: readonly SweepTarget[]): Promise<void> => {
    for (const target of group) {
      // Two hooks may have requested the same log.
      const key = `${target.store}\0${target.digest}`
      const swept: SweptLog = done.has(key)
        ? { target, log: target.log, known: work.seen.get(target.digest)?.bundle ?? '' }
        : await compressTarget(target, work, work.stores)
      done.add(key)
      if (target.job !== undefined) settleJob(target.job, swept)
      work.report.show(swept)
    }
  }
  await runInOrder([...byStore.values()], work.concurrency, all, () => {})
}
