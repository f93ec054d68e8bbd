import { prepareLog, tiktokenCounter } from '@tenfold/core'
import { archivableLog, digestLog, trackSpending } from '@tenfold/core/internal'
import { openLog } from '@tenfold/core/readers'
import { type BatchSession, type SubmittedLogs, submitBatch, submittedLogs } from '@tenfold/summarizers/batch'
import { foundJson, foundLines, gatherLogs, type LogArgument, readable } from '../logs/gather-logs.ts'
import { makeRedactors, planOf, type Reading } from '../options/log-options.ts'
import { limitsOf } from '../options/model-options.ts'
import { openStoreToWrite } from '../store/open-store.ts'
import { failureOfLog } from '../terminal/failure.ts'
import type { Report } from '../terminal/report.ts'
import type { CommandContext } from '../terminal/terminal.ts'
import { formatCount, formatNumberOf } from '../terminal/text.ts'
import { unlessFaulty } from '../terminal/thrown.ts'
import type { SubmitOptions } from './batch-options.ts'
import { eventNotes, makeProvider } from './jobs.ts'

/** A log that cannot be read is reported and left out, and so is one that an earlier job has, unless `again` is set. */
export async function submitLogs(
  paths: readonly string[],
  options: SubmitOptions,
  { terminal, signal }: CommandContext,
): Promise<Report> {
  const store = await openStoreToWrite(options.store, terminal)
  const provider = await makeProvider(options.summarizer, options)
  const redactors = await makeRedactors(options)
  const limits = await limitsOf(options)
  const { admit } = trackSpending(limits)
  const { reading, track, task, dropUnverified = false } = options
  const { logs: given, found } = await gatherLogs(paths, options, { terminal, signal })
  if (found.length > 0 && !terminal.json) terminal.note(foundLines(found, terminal).join('\n'))
  const plan = { ...planOf(options), counter: tiktokenCounter() }
  const made = { ...plan, provider, store, track, task, dropUnverified }
  const { logs, known } = options.again
    ? { logs: given, known: new Map<string, number>() }
    : await newLogs(given, await submittedLogs({ ...made, signal }), { ...reading, signal })
  const knownCount = [...known.values()].reduce((sum, count) => sum + count, 0)
  for (const [job, count] of terminal.json ? [] : known)
    terminal.note(`${formatNumberOf(count, 'log')} skipped, already in job ${job}; pass --again to send them`)
  let failed = 0
  if (logs.length === 0 && knownCount > 0)
    return { json: { sessions: 0, requests: 0, failed, known: knownCount }, lines: ['Nothing new to send.'] }

  async function* sessions(): AsyncGenerator<BatchSession> {
    for (const argument of logs) {
      const { log: name } = argument
      try {
        const prepared = await prepareLog(readable(argument), { ...plan, redactors, signal, ...reading })
        const { session, redaction } = prepared
        const log = options.archive ? archivableLog(prepared.log, session, redaction) : undefined
        yield { session, name, ...(log !== undefined && { log }) }
      } catch (error) {
        if (signal.aborted) throw error
        failed += 1
        terminal.fail(failureOfLog(name, error).message)
      }
    }
  }

  const sent = await submitBatch({
    ...made,
    sessions: sessions(),
    redactors,
    ...((limits.maxCost ?? limits.maxInputTokens) !== undefined && { admit }),
    signal,
    report: eventNotes(terminal),
  })
  const { job, requests, estimate, unconfirmed } = sent
  const count = `${formatNumberOf(sent.sessions, 'session')} in ${formatNumberOf(requests, 'request')}`
  return {
    json: { ...sent, failed, known: knownCount, ...(found.length > 0 && { found: found.map(foundJson) }) },
    lines: [
      `${terminal.style.bold(job)}: ${count}, about ${formatCount(estimate.inputTokens)} tokens in`,
      unconfirmed > 0 &&
        `  ${formatNumberOf(unconfirmed, 'batch', 'batches')} unconfirmed; collect asks the vendor whether it has it`,
      `  next: tenfold batch collect ${job} --wait`,
    ],
    failed: failed > 0,
  }
}

/** What cannot be read stays: it fails where it is prepared. */
async function newLogs(
  logs: readonly LogArgument[],
  submitted: SubmittedLogs,
  options: Reading & { readonly signal: AbortSignal },
) {
  const rest: LogArgument[] = []
  const known = new Map<string, number>()
  const jobOf = async (log: string) =>
    submitted.jobOf(await digestLog(await openLog(log, options), options), log)
  for (const argument of logs) {
    options.signal.throwIfAborted()
    const isNew = submitted.isEmpty || argument.failure !== undefined
    const job = isNew ? undefined : await unlessFaulty(jobOf(argument.log), undefined, options.signal)
    if (job === undefined) rest.push(argument)
    else known.set(job, (known.get(job) ?? 0) + 1)
  }
  return { logs: rest, known }
}
