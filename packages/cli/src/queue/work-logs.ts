import { availableParallelism } from 'node:os'
import { cleanLine } from '@tenfold/core/internal'
import { type QueueEvent, queueWorker } from '@tenfold/queue'
import { limitsOfLog } from '../options/log-options.ts'
import { limitsOf } from '../options/model-options.ts'
import { openStorage } from '../store/open-store.ts'
import { type ExitCode, exitCodes } from '../terminal/exit-codes.ts'
import { failureOfLog } from '../terminal/failure.ts'
import { formatCount, formatDuration, formatNumberOf, formatShare } from '../terminal/numbers.ts'
import { progressLine, stepLine } from '../terminal/progress.ts'
import type { CommandContext } from '../terminal/terminal.ts'
import type { WorkOptions } from './queue-options.ts'
import { optionsOf } from './queue-request.ts'

/**
 * Compresses logs of the queue until it is stopped. The first SIGTERM or Ctrl-C lets the logs under way end; after a
 * second one, other workers take them over.
 */
export async function workLogs(
  options: WorkOptions,
  { terminal, signal }: CommandContext,
): Promise<ExitCode> {
  const { redis, queue, concurrency = availableParallelism(), modelConcurrency } = options
  const { json } = options
  const { prices } = await limitsOf(options)
  const line = progressLine(terminal)
  const started = performance.now()
  const count = { done: 0, known: 0, failed: 0, source: 0, bundle: 0 }
  terminal.workWithoutReader()

  function report(event: QueueEvent): void {
    if (event.event === 'progress') {
      const rate =
        count.done === 0 ? '' : ` · ${(count.done / ((performance.now() - started) / 60_000)).toFixed(1)}/min`
      line(event.progress.step, () => `${count.done} done${rate} · ${stepLine(event.log, event.progress)}`)
      return
    }
    if (event.event === 'failed') {
      const { log, job, willRetry } = event
      const error = failureOfLog(log, event.error)
      if (!willRetry) count.failed += 1
      if (json) terminal.printJson({ log, job, error, willRetry })
      else if (willRetry) terminal.warn(`will be tried again: ${error.message}`)
      else terminal.fail(error.message)
      return
    }
    const { log, job, bundle } = event
    count.done += 1
    if (bundle.known) count.known += 1
    count.source += bundle.sourceTokens
    count.bundle += bundle.bundleTokens
    if (json) terminal.printJson({ log, job, ...bundle })
    else terminal.say(doneLine(log, bundle))
  }

  const worker = await queueWorker({
    redis,
    queue,
    concurrency,
    modelConcurrency,
    openStorage,
    prices,
    report,
    optionsOf: (request) => optionsOf(request, options),
    rates: options.rate,
    allowLogs: options.allowLogs,
    allowStores: options.allowStore,
    untilEmpty: options.untilEmpty,
    ...limitsOfLog(options),
    onFault: (error) => terminal.warn(`warning: Redis: ${cleanLine(error.message)}`),
  })
  if (!json)
    terminal.note(
      `Working on queue ${queue}, ${formatNumberOf(concurrency, 'log')} at a time. Ctrl-C ends it.`,
    )
  let stopped: NodeJS.Signals | undefined
  const stop = (by: NodeJS.Signals) => {
    stopped = by
    terminal.note('Ending the logs under way; no further log is taken.')
    void worker.close()
  }
  const onTerm = () => stop('SIGTERM')
  const onInterrupt = () => stop('SIGINT')
  process.once('SIGTERM', onTerm)
  signal.addEventListener('abort', onInterrupt, { once: true })
  if (signal.aborted) onInterrupt()
  await worker.ended
  process.off('SIGTERM', onTerm)
  signal.removeEventListener('abort', onInterrupt)
  if (!json) terminal.say(totalLine(count, performance.now() - started))
  if (stopped === 'SIGINT') return exitCodes.interrupted
  return count.failed > 0 ? exitCodes.failed : exitCodes.done
}

function doneLine(log: string, { id, track, sourceTokens, bundleTokens, known, stored }: DoneBundle): string {
  if (known) return `done before: ${cleanLine(log)} (${id})`
  if (!stored) return `${cleanLine(log)}: nothing to remember, not stored`
  const ratio = sourceTokens === 0 ? '' : ` (${formatShare(bundleTokens / sourceTokens)})`
  return `${cleanLine(log)}: ${formatCount(sourceTokens)} → ${formatCount(bundleTokens)} tokens${ratio}, ${id} on track ${track}`
}

type DoneBundle = Extract<QueueEvent, { event: 'done' }>['bundle']

function totalLine(
  count: { readonly done: number; readonly failed: number; readonly source: number; readonly bundle: number },
  milliseconds: number,
): string {
  const ratio =
    count.source === 0 ? '' : `, ${formatCount(count.source)} → ${formatCount(count.bundle)} tokens`
  const failed = count.failed === 0 ? '' : `, ${count.failed} failed`
  return `${formatNumberOf(count.done, 'log')} done${failed}${ratio} in ${formatDuration(milliseconds)}.`
}
