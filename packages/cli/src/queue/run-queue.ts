import { availableParallelism } from 'node:os'
import { bundleKinds } from '@tenfold/core/bundle'
import { cleanLine } from '@tenfold/core/internal'
import {
  type Json,
  type QueuedOptions,
  type QueueEvent,
  type QueueLogResult,
  queueLogs,
  queueWorker,
} from '@tenfold/queue'
import { z } from 'zod'
import { libraryOptions } from '../compress/compress-one.ts'
import type { CompressOptions } from '../compress/compress-options.ts'
import { gatherLogs, tellFound } from '../logs/gather-logs.ts'
import { makeRedactors } from '../options/log-options.ts'
import { limitsOf, makeSummarizers, summarizerNames } from '../options/model-options.ts'
import { limitsOfLog } from '../options/options.ts'
import { projectTrack } from '../sources/peek-log.ts'
import { openStorage, rememberMade } from '../store/open-store.ts'
import { failureOfLog } from '../terminal/failure.ts'
import { countProgress, progressLine, stepLine } from '../terminal/progress.ts'
import { type CommandContext, type ExitCode, exitCodes } from '../terminal/terminal.ts'
import { formatCount, formatDuration, formatNumberOf, formatShare, textOfCounts } from '../terminal/text.ts'
import type { AddOptions, WorkOptions } from './queue-options.ts'

export async function addLogs(
  paths: readonly string[],
  options: AddOptions & { readonly trackByProject: boolean },
  { terminal, signal }: CommandContext,
): Promise<ExitCode> {
  const { reading, store, redis, queue, maxCost, attempts } = options
  rememberMade(store, terminal)
  const { logs, found } = await gatherLogs(paths, options, { terminal, signal })
  const progress = countProgress(terminal)
  const counts = { queued: 0, waiting: 0, known: 0, failedBefore: 0, failed: 0 }
  const show = (log: string, result: Shown): void => {
    counts[result.state] += 1
    if (terminal.json) terminal.printJson({ log, ...result })
    else if (result.state === 'failed') terminal.fail(result.error.message)
    else if (result.state === 'failedBefore')
      terminal.warn(`failed before: ${cleanLine(log)}: ${cleanLine(result.reason)}`)
  }
  for (const { log, failure } of logs)
    if (failure !== undefined) show(log, { state: 'failed', error: failure })
  const readable = logs.flatMap(({ log, failure }) => (failure === undefined ? [log] : []))
  const results = queueLogs(readable, {
    ...{ redis, queue, store, maxCost, attempts, signal, openStorage },
    // All machines can reach a bucket, but perhaps not the folders of this machine.
    upload: options.upload ?? /^s3:/i.test(store),
    request: requestOf(options),
    // A queue may have logs of many projects: each goes to its project's track.
    trackOf: options.trackByProject ? projectTrack : undefined,
    optionsOf: (request) => optionsOf(request, { reading }),
  })
  for await (const result of results) {
    show(result.log, shown(result))
    progress('queued', counts.queued, logs.length)
  }
  const { queued, waiting, known, failedBefore } = counts
  const others = textOfCounts(
    [waiting, `${formatNumberOf(waiting, 'log')} already in the queue`],
    [known, `${formatNumberOf(known, 'log')} already compressed`],
    [failedBefore, `${formatNumberOf(failedBefore, 'log')} failed before: tenfold queue retry`],
  )
  const lines = [`${formatNumberOf(queued, 'log')} queued.`, ...(others === '' ? [] : [`${others}.`])]
  if (!terminal.json) terminal.say(lines.join('\n'))
  tellFound(found, terminal)
  return counts.failed > 0 ? exitCodes.failed : exitCodes.done
}

type Shown = ReturnType<typeof shown>

function shown(result: QueueLogResult) {
  if ('queued' in result) return { state: 'queued', job: result.queued } as const
  if ('waiting' in result) return { state: 'waiting', job: result.waiting } as const
  if ('known' in result) return { state: 'known', bundle: result.known.id } as const
  if ('failed' in result) return { state: 'failedBefore', job: result.failed, reason: result.reason } as const
  return { state: 'failed', error: failureOfLog(result.log, result.error) } as const
}

/** At the first SIGTERM or Ctrl-C, logs in progress finish. After a second one, other workers take them over. */
export async function workLogs(options: WorkOptions, { terminal, signal }: CommandContext) {
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
  const ratio = sourceTokens === 0 ? '' : ` (${formatShare(bundleTokens / sourceTokens, 2)})`
  return `${formatCount(sourceTokens)} → ${formatCount(bundleTokens)} tokens${ratio}, ${id} on track ${track}`
}

const count = z.number().int().positive()
const choice = z.object({ name: z.enum(summarizerNames), model: z.string().optional() })

/** What `queue add` sends to workers. It has no API key, and no address that a worker would send a key to. */
const requestSchema = z.strictObject({
  kind: z.enum([...bundleKinds, 'auto']),
  track: z.string(),
  task: z.string().optional(),
  format: z.string().optional(),
  maxRatio: z.number(),
  maxTokens: count.optional(),
  maxReadRatio: z.number().optional(),
  archive: z.boolean(),
  dropUnverified: z.literal(true).optional(),
  summarizer: z.array(choice).min(1),
  fallback: z.array(choice).optional(),
  model: z.string().optional(),
  api: z.enum(['responses', 'chat']).optional(),
  effort: z.string().optional(),
  contextWindow: count.optional(),
  maxRequestTokens: count.optional(),
  maxOutputTokens: count.optional(),
  maxInputTokens: count.optional(),
  timeout: count.optional(),
  redact: z.boolean(),
  redactEmails: z.literal(true).optional(),
  redactPattern: z.array(z.string()).optional(),
})

/** What a worker adds, because it must not be in Redis or differs between machines. */
type OwnOptions = Pick<CompressOptions, 'reading'> & Partial<Pick<CompressOptions, 'baseUrl' | 'redactEnv'>>

export function requestOf(options: AddOptions): Json {
  const { redactPattern } = options
  const names = Object.keys(requestSchema.shape)
  const given = Object.entries(options).filter(([name, value]) => names.includes(name) && value !== undefined)
  const request = requestSchema.parse({
    ...Object.fromEntries(given),
    ...(redactPattern !== undefined && { redactPattern: redactPattern.map(({ source }) => source) }),
  })
  // Drops undefined fields.
  return JSON.parse(JSON.stringify(request)) as Json
}

export async function optionsOf(request: Json, own: OwnOptions): Promise<QueuedOptions> {
  const { redactPattern, maxInputTokens, format, ...asked } = requestSchema.parse(request)
  const options: CompressOptions = {
    ...asked,
    ...own,
    reading: { ...own.reading, format },
    // Each job names its store.
    store: '',
    modelConcurrency: 1,
    redactPattern: redactPattern?.map((source) => new RegExp(source, 'gu')),
  }
  const library = libraryOptions(options, {
    summarizer: await makeSummarizers(options),
    redactors: await makeRedactors(options),
    limits: { maxInputTokens },
    signal: new AbortController().signal,
  })
  // Leaves out what each worker decides itself.
  const { signal, concurrency, previous, ...made } = library
  return made
}
