import { bundleKinds } from '@tenfold/core/bundle'
import type { Json, QueuedOptions } from '@tenfold/queue'
import { z } from 'zod'
import { libraryOptions } from '../compress/compress-one.ts'
import type { CompressOptions } from '../compress/compress-options.ts'
import { makeSummarizers, summarizerNames } from '../options/model-options.ts'
import { counters } from '../options/options.ts'
import { minRatioOf } from '../options/plan-options.ts'
import { makeRedactors } from '../options/redact-options.ts'
import type { AddOptions } from './queue-options.ts'

const count = z.number().int().positive()
const choice = z.object({ name: z.enum(summarizerNames), model: z.string().optional() })

/** What `queue add` asks of workers. It holds no key, and no address that a worker would send one to. */
const requestSchema = z.strictObject({
  kind: z.enum([...bundleKinds, 'auto']),
  track: z.string(),
  task: z.string().optional(),
  format: z.string().optional(),
  maxRatio: z.number(),
  minRatio: z.number(),
  maxTokens: count.optional(),
  maxReadRatio: z.number().optional(),
  minSourceTokens: z.number().int().nonnegative(),
  counter: z.enum(counters),
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

/** What a worker adds: what is not for Redis, or differs between machines. */
export type OwnOptions = Pick<CompressOptions, 'reading'> &
  Partial<Pick<CompressOptions, 'baseUrl' | 'redactEnv'>>

export function requestOf(options: AddOptions): Json {
  const { redactPattern } = options
  const names = Object.keys(requestSchema.shape)
  const given = Object.entries(options).filter(([name, value]) => names.includes(name) && value !== undefined)
  const request = requestSchema.parse({
    ...Object.fromEntries(given),
    minRatio: minRatioOf(options),
    ...(redactPattern !== undefined && { redactPattern: redactPattern.map(({ source }) => source) }),
  })
  // Without the fields that are undefined.
  return JSON.parse(JSON.stringify(request)) as Json
}

export async function optionsOf(request: Json, own: OwnOptions): Promise<QueuedOptions> {
  const { redactPattern, maxInputTokens, format, ...asked } = requestSchema.parse(request)
  const options: CompressOptions = {
    ...asked,
    ...own,
    reading: { ...own.reading, format },
    // Workers have no store of their own: each job names one.
    store: '',
    modelConcurrency: 1,
    redactPattern: redactPattern?.map((source) => new RegExp(source, 'gu')),
  }
  const library = libraryOptions(options, {
    summarizers: await makeSummarizers(options),
    redactors: await makeRedactors(options),
    limits: { maxInputTokens },
    signal: new AbortController().signal,
  })
  // What each worker decides itself.
  const { signal, concurrency, previous, ...made } = library
  return made
}
