import type { BundleKind, Reader } from '@tenfold/core'
import type { BatchProvider } from '@tenfold/summarizers/batch'
import type { ModelOptions } from '../options/model-options.ts'
import type { PlanOptions } from '../options/plan-options.ts'
import type { ReaderOptions } from '../options/readers-option.ts'
import type { RedactOptions } from '../options/redact-options.ts'

export const batchVendors = ['anthropic', 'openai'] as const
type BatchVendor = (typeof batchVendors)[number]

type RequestOptions = Pick<
  ModelOptions,
  'baseUrl' | 'effort' | 'contextWindow' | 'maxRequestTokens' | 'maxOutputTokens'
>

/** Options of `tenfold batch submit`. */
export interface SubmitOptions
  extends RequestOptions,
    Pick<ModelOptions, 'maxCost' | 'maxInputTokens' | 'prices'>,
    Omit<PlanOptions, 'kind'>,
    Omit<ReaderOptions, 'reader'>,
    RedactOptions {
  readonly store: string
  /** One for all: the requests of a job have one schema. */
  readonly kind: BundleKind
  readonly summarizer: BatchVendor
  readonly model: string
  /** @default all built-in readers */
  readonly readers?: readonly Reader[]
  readonly again?: true
  readonly json?: true
}

/** Options of the commands that continue a job. */
export interface JobOptions extends RedactOptions {
  readonly store: string
  readonly baseUrl?: string
  readonly effort?: string
  readonly wait?: true
  readonly pollSeconds: number
  readonly resubmit: boolean
  readonly resubmitUncertain?: true
  readonly fallback?: 'extractive'
  readonly json?: true
}

export interface VendorChoice extends RequestOptions {
  readonly vendor: BatchVendor
  readonly model: string
}

/** The batch API of a vendor. Loads only the SDK that it needs. */
export async function makeProvider(choice: VendorChoice): Promise<BatchProvider> {
  const { vendor, model, baseUrl, effort, contextWindow, maxRequestTokens, maxOutputTokens } = choice
  const options = {
    model,
    baseURL: baseUrl,
    effort,
    contextWindow,
    maxInputTokens: maxRequestTokens,
    maxOutputTokens,
  }
  if (vendor === 'anthropic') return (await import('@tenfold/summarizers/anthropic')).anthropicBatch(options)
  return (await import('@tenfold/summarizers/openai')).openaiBatch(options)
}
