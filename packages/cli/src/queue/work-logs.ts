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
 * Compresses logs of the queue until it is stopped. The first SIGTERM or Ctrl-C lets the logs in progress finish; after a
 * second one, other workers take them over.
 */
export async function workLogs(
  options: WorkOptions,
  { terminal, signal }: CommandContext,
): Promise<ExitCode> {
  const { redis, queue, concurrency = availableParallelism(), modelConcurrency, json } = options
  const show = progressLine(terminal)
  const started = performance.now()
  const count = { done: 0, failed: 0, source: 0, bundle: 0 }
  terminal.workWithoutReader()

  function report(event: QueueEvent): void {
    const { log, job } = event
    if (event.event === 'progress') {
      const perMinute = (count.done / (performance.now() - started)) * 60_000
      const rate = count.done === 0 ? '' : ` · ${perMinute.toFixed(1)}/min`
      show(event.progress.step, () => `${count.done} done${rate} · ${stepLine(log, event.progress)}`)
    } else if (event.event === 'failed') {
      const { willRetry } = event
      const error = failureOfLog(log, event.error)
      if (!willRetry) count.failed += 1
      if (json) terminal.printJson({ log, job, error, willRetry })
      else if (willRetry) terminal.warn(`will be tried again: ${error.message}`)
      else terminal.fail(error.message)
    } else {
      const { bundle } = event
      count.done += 1
      count.source += bundle.sourceTokens
      count.bundle += bundle.bundleTokens
      if (json) terminal.printJson({ log, job, ...bundle })
      else terminal.say(`${cleanLine(log)}: ${doneText(bundle)}`)
    }
  }

  const worker = await queueWorker({
    ...{ redis, queue, concurrency, modelConcurrency, openStorage, report },
    prices: (await limitsOf(options)).prices,
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
      `Working on queue ${queue}, ${formatNumberOf(concurrency, 'log')} at a time. Press Ctrl-C to stop.`,
    )
  let stopped: NodeJS.Signals | undefined
  const stop = (by: NodeJS.Signals) => () => {
    stopped = by
    terminal.note('Finishing the logs in progress; no further log is taken.')
    void worker.close()
  }
  const [onTerm, onInterrupt] = [stop('SIGTERM'), stop('SIGINT')]
  process.once('SIGTERM', onTerm)
  signal.addEventListener('abort', onInterrupt, { once: true })
  if (signal.aborted) onInterrupt()
  await worker.ended
  process.off('SIGTERM', onTerm)
  signal.removeEventListener('abort', onInterrupt)
  const { done, failed, source, bundle } = count
  const sizes = source === 0 ? '' : `, ${formatCount(source)} → ${formatCount(bundle)} tokens`
  const duration = formatDuration(performance.now() - started)
  if (!json)
    terminal.say(
      `${formatNumberOf(done, 'log')} done${failed === 0 ? '' : `, ${failed} failed`}${sizes} in ${duration}.`,
    )
  if (stopped === 'SIGINT') return exitCodes.interrupted
  return failed > 0 ? exitCodes.failed : exitCodes.done
}

type DoneBundle = Extract<QueueEvent, { event: 'done' }>['bundle']

function doneText({ id, track, sourceTokens, bundleTokens, known, stored }: DoneBundle): string {
  if (known) return `already compressed (${id})`
  if (!stored) return 'nothing to remember, so nothing was stored'
  const ratio = sourceTokens === 0 ? '' : ` (${formatShare(bundleTokens / sourceTokens)})`
  return `${formatCount(sourceTokens)} → ${formatCount(bundleTokens)} tokens${ratio}, ${id} on track ${track}`
}
