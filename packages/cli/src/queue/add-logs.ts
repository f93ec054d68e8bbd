import { cleanLine } from '@tenfold/core/internal'
import { type QueueLogResult, queueLogs } from '@tenfold/queue'
import { projectTrack } from '../compress/project-tracks.ts'
import { foundJson, foundLines, gatherLogs } from '../logs/gather-logs.ts'
import { openStorage, rememberMade } from '../store/open-store.ts'
import { type ExitCode, exitCodes } from '../terminal/exit-codes.ts'
import { type Failure, failureOfLog } from '../terminal/failure.ts'
import { formatNumberOf, textOfCounts } from '../terminal/numbers.ts'
import { countProgress } from '../terminal/progress.ts'
import type { CommandContext } from '../terminal/terminal.ts'
import type { AddOptions } from './queue-options.ts'
import { optionsOf, requestOf } from './queue-request.ts'

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
    // A bucket is seen by all machines, the folders of this one perhaps not.
    upload: options.upload ?? /^s3:/i.test(store),
    request: requestOf(options),
    // One queue takes the logs of many projects: each goes to the track of its own.
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
  if (!terminal.json) terminal.say([...lines, ...(found ? foundLines(found, terminal) : [])].join('\n'))
  else if (found !== undefined) terminal.printJson(foundJson(found))
  return counts.failed > 0 ? exitCodes.failed : exitCodes.done
}

type Shown =
  | { readonly state: 'queued' | 'waiting'; readonly job: string }
  | { readonly state: 'known'; readonly bundle: string }
  | { readonly state: 'failedBefore'; readonly job: string; readonly reason: string }
  | { readonly state: 'failed'; readonly error: Failure }

function shown(result: QueueLogResult): Shown {
  if ('queued' in result) return { state: 'queued', job: result.queued }
  if ('waiting' in result) return { state: 'waiting', job: result.waiting }
  if ('known' in result) return { state: 'known', bundle: result.known.id }
  if ('failed' in result) return { state: 'failedBefore', job: result.failed, reason: result.reason }
  return { state: 'failed', error: failureOfLog(result.log, result.error) }
}
