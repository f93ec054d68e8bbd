import type { BundleKind, Reader } from '@tenfold/core'
import type { BatchProvider } from '@tenfold/summarizers/batch'
import type { CounterName } from '../options/options.ts'
import type { RedactOptions } from '../options/redact-options.ts'

export const batchVendors = ['anthropic', 'openai'] as const
type BatchVendor = (typeof batchVendors)[number]

/** Options of `tenfold batch submit`. */
export interface SubmitOptions extends RedactOptions {
  readonly store: string
  readonly summarizer: BatchVendor
  readonly model: string
  readonly baseUrl?: string
  readonly effort?: string
  readonly contextWindow?: number
  readonly maxRequestTokens?: number
  readonly maxOutputTokens?: number
  readonly maxCost?: number
  readonly maxInputTokens?: number
  readonly prices?: string
  readonly kind: BundleKind
  readonly track: string
  readonly task?: string
  readonly format?: string
  /** @default all built-in readers */
  readonly readers?: readonly Reader[]
  readonly maxLogSize?: number
  readonly maxRatio: number
  readonly minRatio?: number
  readonly maxTokens?: number
  readonly minSourceTokens: number
  readonly maxReadRatio?: number
  readonly counter: CounterName
  readonly archive: boolean
  readonly dropUnverified?: true
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

export interface VendorChoice {
  readonly vendor: BatchVendor
  readonly model: string
  readonly baseUrl?: string | undefined
  readonly effort?: string | undefined
  readonly contextWindow?: number | undefined
  readonly maxRequestTokens?: number | undefined
  readonly maxOutputTokens?: number | undefined
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
