import { type BundleStore, TenfoldError } from '@tenfold/core'
import { cleanLine } from '@tenfold/core/internal'
import {
  type BatchEvent,
  type BatchProvider,
  type BatchStatus,
  batchStatus,
  cancelBatch,
  collectBatch,
  listBatches,
} from '@tenfold/summarizers/batch'
import { extractiveSummarizer } from '@tenfold/summarizers/extractive'
import { makeRedactors } from '../options/log-options.ts'
import { serverOptions } from '../options/model-options.ts'
import { openStore } from '../store/open-store.ts'
import type { Report } from '../terminal/report.ts'
import type { CommandContext, Terminal } from '../terminal/terminal.ts'
import { formatNumberOf } from '../terminal/text.ts'
import { batchVendors, type JobOptions, type VendorOptions } from './batch-options.ts'

export async function collectJob(
  name: string | undefined,
  options: JobOptions,
  context: CommandContext,
): Promise<Report> {
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

export async function showJobs(
  name: string | undefined,
  place: string,
  { terminal }: CommandContext,
): Promise<Report> {
  const { storage } = await openStore(place, terminal)
  const jobs = name === undefined ? await listBatches(storage) : [await batchStatus(storage, name)]
  return {
    json: name === undefined ? jobs : jobs[0],
    lines: jobs.flatMap(statusLines),
    none: 'No batch jobs in this store.',
  }
}

export async function cancelJob(
  name: string,
  options: VendorOptions,
  context: CommandContext,
): Promise<void> {
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

/** The batch API of a vendor. Loads only the SDK that it needs. */
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
