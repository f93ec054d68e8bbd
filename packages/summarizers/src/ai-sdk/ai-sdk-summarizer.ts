import type { Summarizer } from '@tenfold/core/summarizer'
import { type VendorSummarizerOptions, vendorSummarizer, windows } from '../model/vendor-summarizer.ts'
import { type AiSdkOptions, aiSdkModel } from './ai-sdk-model.ts'

/** The model and its options. */
export interface AiSdkSummarizerOptions extends AiSdkOptions, VendorSummarizerOptions {
  /** Name in bundles and ledgers. @default 'ai-sdk' */
  readonly name?: string | undefined
  /** The model's context window, which the SDK does not report. @default 128_000 */
  readonly contextWindow?: number | undefined
}

/**
 * Summarizes sessions with a Vercel AI SDK model of any provider: `aiSdkSummarizer({ model })`. Throws like
 * {@link aiSdkModel} and `modelSummarizer` for invalid options.
 */
export function aiSdkSummarizer(options: AiSdkSummarizerOptions): Summarizer {
  const call = aiSdkModel(options)
  return vendorSummarizer(options, {
    name: 'ai-sdk',
    model: options.model.modelId,
    window: windows.aiSdk,
    call,
  })
}
