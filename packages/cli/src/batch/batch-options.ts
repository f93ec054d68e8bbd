import { planOptions, redactOptions } from '../options/log-options.ts'
import { limitOptions, requestOptions } from '../options/model-options.ts'
import { heading, option, type ValuesOf } from '../options/option.ts'
import { defaultKindOption, storeOption } from '../options/options.ts'
import { notEmpty, parseUrl, wholeNumber } from '../options/parsers.ts'

export const batchVendors = ['anthropic', 'openai'] as const

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
  // One kind for the whole job, because all its requests have the same schema.
  defaultKindOption,
  ...planOptions,
  option('--again', 'also send logs that an earlier job of the store has, with the same model and options'),
  heading('Model options:'),
  ...requestOptions,
  ...limitOptions,
  ...redactOptions,
] as const

export type SubmitOptions = ValuesOf<typeof submitOptions>

export const vendorOptions = [
  storeOption,
  option('--base-url <url>', 'server of the vendor, if not the usual one', { parse: parseUrl }),
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
  ...redactOptions,
] as const

export type JobOptions = ValuesOf<typeof jobOptions>
