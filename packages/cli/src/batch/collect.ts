import { TenfoldError } from '@tenfold/core'
import {
  type BatchStatus,
  batchStatus,
  cancelBatch,
  collectBatch,
  listBatches,
} from '@tenfold/summarizers/batch'
import { extractiveSummarizer } from '@tenfold/summarizers/extractive'
import { makeRedactors } from '../options/redact-options.ts'
import { openStore } from '../store/open-store.ts'
import { type ExitCode, exitCodes } from '../terminal/exit-codes.ts'
import { formatNumberOf } from '../terminal/numbers.ts'
import type { CommandContext } from '../terminal/terminal.ts'
import {
  batchVendors,
  eventLine,
  type JobOptions,
  makeProvider,
  statusLines,
  type VendorOptions,
} from './batch-options.ts'

export async function collectJob(
  name: string | undefined,
  options: JobOptions,
  { terminal, signal }: CommandContext,
): Promise<ExitCode> {
  const store = await openStore(options.store, terminal)
  const job = await findJob(name, options, { terminal, signal })
  const result = await collectBatch(job.job, {
    provider: await providerOf(job, options),
    store,
    signal,
    wait: options.wait ?? false,
    pollMs: options.pollSeconds * 1000,
    redactors: await makeRedactors(options),
    resubmit: options.resubmit,
    resubmitUncertain: options.resubmitUncertain ?? false,
    ...(options.fallback !== undefined && { fallback: extractiveSummarizer() }),
    report: (event) => {
      const line = eventLine(event)
      if (line !== undefined && !options.json) terminal.note(line)
    },
  })
  if (options.json) terminal.printJson(result, 2)
  else {
    const trivial = result.trivial.length === 0 ? '' : `, ${result.trivial.length} with nothing to remember`
    const rest = `${trivial}${result.open === 0 ? '' : `, ${result.open} still open`}`
    terminal.say(
      `${formatNumberOf(result.saved.length, 'bundle')} saved, ${result.failed.length} failed${rest}`,
    )
  }
  return result.failed.length > 0 ? exitCodes.failed : exitCodes.done
}

export async function showJobs(
  name: string | undefined,
  options: Pick<JobOptions, 'store' | 'json'>,
  { terminal }: Pick<CommandContext, 'terminal'>,
): Promise<void> {
  const { storage } = await openStore(options.store, terminal)
  const jobs = name === undefined ? await listBatches(storage) : [await batchStatus(storage, name)]
  if (options.json) terminal.printJson(name === undefined ? jobs : jobs[0], 2)
  else if (jobs.length === 0) terminal.note('No batch jobs in this store.')
  else terminal.print(jobs.flatMap(statusLines).join('\n'))
}

export async function cancelJob(
  name: string,
  options: VendorOptions,
  context: Pick<CommandContext, 'terminal' | 'signal'>,
): Promise<void> {
  const { terminal, signal } = context
  const job = await findJob(name, options, context)
  await cancelBatch(job.job, {
    provider: await providerOf(job, options),
    store: await openStore(options.store, terminal),
    signal,
  })
  terminal.say(`${job.job}: cancelled. To collect what finished: tenfold batch collect ${job.job}`)
}

async function findJob(
  name: string | undefined,
  options: Pick<JobOptions, 'store'>,
  { terminal }: Pick<CommandContext, 'terminal' | 'signal'>,
): Promise<BatchStatus> {
  const { storage } = await openStore(options.store, terminal)
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

async function providerOf({ provider, model }: BatchStatus, { baseUrl, effort }: VendorOptions) {
  const vendor = batchVendors.find((known) => known === provider)
  if (vendor === undefined)
    throw new TenfoldError(
      'batch-mismatch',
      `This job was made for ${provider}, but tenfold does not support a batch API of that vendor.`,
    )
  return await makeProvider(vendor, { model, baseUrl, effort })
}
