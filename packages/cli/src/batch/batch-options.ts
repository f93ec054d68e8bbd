import { cleanLine } from '@tenfold/core/internal'
import type { BatchEvent, BatchProvider, BatchStatus } from '@tenfold/summarizers/batch'
import { limitOptions, requestOptions, serverOptions } from '../options/model-options.ts'
import { heading, option, type ValuesOf } from '../options/option.ts'
import { defaultKindOption, storeOption } from '../options/options.ts'
import { notEmpty, wholeNumber } from '../options/parsers.ts'
import { planOptions } from '../options/plan-options.ts'
import { redactOptions } from '../options/redact-options.ts'
import { formatNumberOf } from '../terminal/numbers.ts'

export const batchVendors = ['anthropic', 'openai'] as const
type BatchVendor = (typeof batchVendors)[number]

export const submitOptions = [
  storeOption,
  option('--summarizer <vendor>', 'vendor whose batch API to use', {
    choices: batchVendors,
    mandatory: true,
  }),
  option('--model <name>', 'model to ask', {
    env: 'TENFOLD_MODEL',
    parse: notEmpty('a model'),
    mandatory: true,
  }),
  // One for all: the requests of a job have one schema.
  defaultKindOption,
  ...planOptions,
  option('--again', 'also send logs that an earlier job of the store has, with the same model and options'),
  option('--json', 'print one JSON object'),
  heading('Model options:'),
  ...requestOptions,
  ...limitOptions,
  ...redactOptions,
] as const

export type SubmitOptions = ValuesOf<typeof submitOptions>

export const vendorOptions = [
  storeOption,
  option('--base-url <url>', 'server of the vendor, if not the usual one'),
  option('--effort <level>', 'effort level for resent requests, passed on as given'),
] as const

export type VendorOptions = ValuesOf<typeof vendorOptions>

export const jobOptions = [
  ...vendorOptions,
  option('--wait', 'wait until every session is saved or failed'),
  option('--poll-seconds <n>', 'first pause between two checks', { parse: wholeNumber(1), default: 60 }),
  option('--no-resubmit', 'resend nothing'),
  option('--resubmit-uncertain', 'also resend what the vendor may already have; it may be billed twice'),
  option(
    '--fallback <name>',
    'summarizer for the parts that the model did not summarize, also in sessions that failed before (default: the session fails)',
    { choices: ['extractive'] },
  ),
  option('--json', 'print one JSON object'),
  ...redactOptions,
] as const

export type JobOptions = ValuesOf<typeof jobOptions>

/** The batch API of a vendor. Loads only the SDK that it needs. */
export async function makeProvider(
  vendor: BatchVendor,
  given: Parameters<typeof serverOptions>[0],
): Promise<BatchProvider> {
  const options = serverOptions(given)
  if (vendor === 'anthropic') return (await import('@tenfold/summarizers/anthropic')).anthropicBatch(options)
  return (await import('@tenfold/summarizers/openai')).openaiBatch(options)
}

export function eventLine(event: BatchEvent): string | undefined {
  switch (event.step) {
    case 'session-stored':
      return `stored ${cleanLine(event.name)}: ${formatNumberOf(event.requests, 'request')}`
    case 'submitting':
      return `sending ${formatNumberOf(event.requests, 'request')}`
    case 'submitted':
      return `sent as ${cleanLine(event.batchId)}`
    case 'unconfirmed':
      return `no answer to a submission: ${cleanLine(event.reason)}`
    case 'running':
      return `${cleanLine(event.batchId)}: ${event.ended} of ${formatNumberOf(event.requests, 'request')} done`
    case 'ended': {
      const missing = event.missing === 0 ? '' : `, ${event.missing} missing`
      return `${cleanLine(event.batchId)} ended: ${formatNumberOf(event.rows, 'row')}${missing}`
    }
    case 'session-saved':
      return `session ${event.n}: saved as ${event.bundleId}`
    case 'session-trivial':
      return `session ${event.n}: nothing to remember, so nothing was stored`
    case 'session-failed':
      return `session ${event.n} failed: ${cleanLine(event.reason)}`
    case 'retry':
      return `trying again in ${Math.ceil(event.waitMs / 1000)} s: ${cleanLine(event.reason)}`
    case 'busy':
      return 'another process works on this job'
  }
}

export function statusLines({
  job,
  provider,
  model,
  sessions,
  saved,
  failed,
  trivial,
  batches,
}: BatchStatus): string[] {
  return [
    `${job}  ${provider} ${cleanLine(model)}  ${saved} of ${formatNumberOf(sessions, 'session')} saved${failed > 0 ? `, ${failed} failed` : ''}${trivial > 0 ? `, ${trivial} with nothing to remember` : ''}`,
    ...batches.map(
      ({ state, requests, received, batchId, expiresAt }) =>
        `  ${state}  ${cleanLine(batchId ?? 'not confirmed')}  ${received} of ${formatNumberOf(requests, 'row')} received${expiresAt === undefined ? '' : `, expires ${expiresAt}`}`,
    ),
  ]
}
