import { type BundleStore, prepareLog, TenfoldError, tiktokenCounter } from '@tenfold/core'
import { archivableLog, cleanLine, digestLog, trackSpending } from '@tenfold/core/internal'
import { openLog } from '@tenfold/core/readers'
import {
  type BatchEvent,
  type BatchProvider,
  type BatchSession,
  type BatchStatus,
  batchStatus,
  cancelBatch,
  collectBatch,
  listBatches,
  type SubmittedLogs,
  submitBatch,
  submittedLogs,
} from '@tenfold/summarizers/batch'
import { extractiveSummarizer } from '@tenfold/summarizers/extractive'
import { foundJson, foundLines, gatherLogs, type LogArgument, readable } from '../logs/gather-logs.ts'
import { makeRedactors, planOf, type Reading } from '../options/log-options.ts'
import { limitsOf, serverOptions } from '../options/model-options.ts'
import { openStore, openStoreToWrite } from '../store/open-store.ts'
import { failureOfLog } from '../terminal/failure.ts'
import type { CommandContext, Terminal } from '../terminal/terminal.ts'
import { formatCount, formatNumberOf } from '../terminal/text.ts'
import { unlessFaulty } from '../terminal/thrown.ts'
import { batchVendors, type JobOptions, type SubmitOptions, type VendorOptions } from './batch-options.ts'

export async function collectJob(name: string | undefined, options: JobOptions, context: CommandContext) {
  const { terminal } = context
  const { job, ...parts } = await openJob(name, options, context)
  const result = await collectBatch(job, {
    ...parts,
    wait: options.wait ?? false,
    pollMs: options.pollSeconds * 1000,
    redactors: await makeRedactors(options),
    resubmit: options.resubmit,
    resubmitUncertain: options.resubmitUncertain ?? false,
    ...(options.fallback !== undefined && { fallback: extractiveSummarizer() }),
    report: eventNotes(terminal),
  })
  const { saved, failed, trivial, open } = result
  const rest = `${trivialText(trivial.length)}${open === 0 ? '' : `, ${open} still open`}`
  return {
    json: result,
    said: [`${formatNumberOf(saved.length, 'bundle')} saved, ${failed.length} failed${rest}`],
    failed: failed.length > 0,
  }
}

export async function showJobs(name: string | undefined, place: string, { terminal }: CommandContext) {
  const { storage } = await openStore(place, terminal)
  const jobs = name === undefined ? await listBatches(storage) : [await batchStatus(storage, name)]
  return {
    json: name === undefined ? jobs : jobs[0],
    lines: jobs.flatMap(statusLines),
    none: 'No batch jobs in this store.',
  }
}

export async function cancelJob(name: string, options: VendorOptions, context: CommandContext) {
  const { job, ...parts } = await openJob(name, options, context)
  await cancelBatch(job, parts)
  context.terminal.say(`${job}: cancelled. To collect what finished: tenfold batch collect ${job}`)
}

async function openJob(
  name: string | undefined,
  { store: place, baseUrl, effort }: VendorOptions,
  { terminal, signal }: CommandContext,
) {
  const store = await openStore(place, terminal)
  const { job, provider: made, model } = await findJob(name, store)
  const vendor = batchVendors.find((known) => known === made)
  if (vendor !== undefined)
    return { job, store, signal, provider: await makeProvider(vendor, { model, baseUrl, effort }) }
  const message = `This job was made for ${made}, whose batch API tenfold does not support.`
  throw new TenfoldError('batch-mismatch', message)
}

async function findJob(name: string | undefined, { storage }: BundleStore): Promise<BatchStatus> {
  if (name !== undefined) return await batchStatus(storage, name)
  const open = (await listBatches(storage)).filter(
    ({ sessions, saved, failed, trivial }) => saved + failed + trivial < sessions,
  )
  const [only] = open
  if (only !== undefined && open.length === 1) return only
  throw new TenfoldError(
    'batch-missing',
    open.length === 0
      ? 'No batch job of this store is open. To list all jobs: tenfold batch status.'
      : `${open.length} batch jobs are open; give the name of one. To list them: tenfold batch status.`,
  )
}

export async function makeProvider(
  vendor: (typeof batchVendors)[number],
  given: Parameters<typeof serverOptions>[0],
): Promise<BatchProvider> {
  const options = serverOptions(given)
  if (vendor === 'openai') return await (await import('@tenfold/summarizers/openai')).openaiBatch(options)
  const { anthropicBatch } = await import('@tenfold/summarizers/anthropic')
  return await anthropicBatch(options)
}

export function eventNotes(terminal: Terminal): (event: BatchEvent) => void {
  return (event) => {
    const line = eventLine(event)
    if (line !== undefined && !terminal.json) terminal.note(cleanLine(line))
  }
}

function eventLine(event: BatchEvent): string | undefined {
  switch (event.step) {
    case 'session-stored':
      return `stored ${event.name}: ${formatNumberOf(event.requests, 'request')}`
    case 'submitting':
      return `sending ${formatNumberOf(event.requests, 'request')}`
    case 'submitted':
      return `sent as ${event.batchId}`
    case 'unconfirmed':
      return `no answer to a submission: ${event.reason}`
    case 'running':
      return `${event.batchId}: ${event.ended} of ${formatNumberOf(event.requests, 'request')} done`
    case 'ended': {
      const missing = event.missing === 0 ? '' : `, ${event.missing} missing`
      return `${event.batchId} ended: ${formatNumberOf(event.rows, 'answer')}${missing}`
    }
    case 'session-saved':
      return `session ${event.n}: saved as ${event.bundleId}`
    case 'session-trivial':
      return `session ${event.n}: nothing to remember, so nothing was stored`
    case 'session-failed':
      return `session ${event.n} failed: ${event.reason}`
    case 'retry':
      return `trying again in ${Math.ceil(event.waitMs / 1000)} s: ${event.reason}`
    case 'busy':
      return 'another process works on this job'
  }
}

function statusLines({ job, provider, model, batches, ...counts }: BatchStatus): string[] {
  const { sessions, saved, failed, trivial } = counts
  const rest = `${failed > 0 ? `, ${failed} failed` : ''}${trivialText(trivial)}`
  return [
    `${job}  ${provider} ${cleanLine(model)}  ${saved} of ${formatNumberOf(sessions, 'session')} saved${rest}`,
    ...batches.map(({ state, requests, received, batchId = 'not confirmed', expiresAt }) => {
      const until = expiresAt === undefined ? '' : `, expires ${expiresAt}`
      const answers = `${received} of ${formatNumberOf(requests, 'answer')} received`
      return `  ${state}  ${cleanLine(batchId)}  ${answers}${until}`
    }),
  ]
}

function trivialText(trivial: number): string {
  return trivial === 0 ? '' : `, ${trivial} with nothing to remember`
}

/** Reports and leaves out logs that cannot be read, and logs that an earlier job has, unless `again` is set. */
export async function submitLogs(paths: readonly string[], options: SubmitOptions, context: CommandContext) {
  const { terminal, signal } = context
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
        `  ${formatNumberOf(unconfirmed, 'batch', 'batches')} unconfirmed; collect asks the vendor whether they arrived`,
      `  next: tenfold batch collect ${job} --wait`,
    ],
    failed: failed > 0,
  }
}

/** Keeps logs that cannot be read: they fail when they are prepared. */
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
