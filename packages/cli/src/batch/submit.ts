import {
  archivableLog,
  defaultReaders,
  prepareLog,
  type SpendingLimits,
  tiktokenCounter,
  trackSpending,
} from '@tenfold/core'
import { type BatchSession, submitBatch } from '@tenfold/summarizers/batch'
import { foundJson, foundLines } from '../logs/found-report.ts'
import { gatherLogs } from '../logs/gather-logs.ts'
import { limitsOf } from '../options/model-options.ts'
import { minRatioOf } from '../options/plan-options.ts'
import { makeRedactors } from '../options/redact-options.ts'
import { openStoreToWrite } from '../store/open-store.ts'
import type { CommandContext } from '../terminal/command-context.ts'
import { type ExitCode, exitCodes } from '../terminal/exit-codes.ts'
import { failureOfLog } from '../terminal/failure.ts'
import { toSafeJson } from '../terminal/json-output.ts'
import { formatCount, formatNumberOf } from '../terminal/numbers.ts'
import { makeProvider, type SubmitOptions } from './batch-options.ts'
import { eventLine } from './batch-report.ts'

/**
 * Stores the sessions of logs as a job and sends it to the vendor. A log that cannot be read is reported and left out.
 */
export async function submitLogs(
  paths: readonly string[],
  options: SubmitOptions,
  { terminal, signal }: CommandContext,
): Promise<ExitCode> {
  const store = await openStoreToWrite(options.store, terminal)
  const provider = await makeProvider({ ...options, vendor: options.summarizer })
  const redactors = await makeRedactors(options)
  const limits: SpendingLimits = await limitsOf(options)
  const { admit } = trackSpending(limits)
  const { readers = defaultReaders, store: except } = options
  const { logs, found } = await gatherLogs(paths, {
    readers,
    except,
    signal,
    terminal,
    maxLogSize: options.maxLogSize,
    progress: !options.json,
  })
  if (found !== undefined && !options.json) terminal.note(foundLines(found, terminal).join('\n'))
  const counter = tiktokenCounter(options.counter)
  const { kind, track, task, maxRatio, maxTokens, minSourceTokens, dropUnverified, format, maxLogSize } =
    options
  const plan = {
    kind,
    maxRatio,
    minRatio: minRatioOf(options),
    minSourceTokens,
    maxTokens,
    maxReadRatio: options.maxReadRatio,
  }
  let failed = 0

  async function* sessions(): AsyncGenerator<BatchSession> {
    for (const { log, failure } of logs) {
      try {
        if (failure !== undefined) {
          failed += 1
          terminal.fail(failure.message)
          continue
        }
        const prepared = await prepareLog(log, {
          ...plan,
          counter,
          redactors,
          signal,
          readers,
          format,
          maxLogBytes: maxLogSize,
        })
        const { session, redaction } = prepared
        yield {
          session,
          name: log,
          ...(options.archive && { log: archivableLog(prepared.log, session, redaction) }),
        }
      } catch (error) {
        if (signal.aborted) throw error
        failed += 1
        terminal.fail(failureOfLog(log, error).message)
      }
    }
  }

  const sent = await submitBatch({
    ...plan,
    sessions: sessions(),
    provider,
    store,
    counter,
    redactors,
    track,
    task,
    dropUnverified: dropUnverified ?? false,
    ...((limits.maxCost ?? limits.maxInputTokens) !== undefined && { admit }),
    signal,
    report: (event) => {
      const line = eventLine(event)
      if (line !== undefined && !options.json) terminal.note(line)
    },
  })
  if (options.json)
    terminal.print(toSafeJson({ ...sent, failed, ...(found !== undefined && foundJson(found)) }, 2))
  else
    terminal.print(
      [
        `${terminal.style.bold(sent.job)}: ${formatNumberOf(sent.sessions, 'session')} in ${formatNumberOf(sent.requests, 'request')}, about ${formatCount(sent.estimate.inputTokens)} tokens in`,
        ...(sent.unconfirmed > 0
          ? [
              `  ${formatNumberOf(sent.unconfirmed, 'batch')} unconfirmed; collect finds out whether the vendor accepted it`,
            ]
          : []),
        `  next: tenfold batch collect ${sent.job} --wait`,
      ].join('\n'),
    )
  return failed > 0 ? exitCodes.failed : exitCodes.done
}
