import type { Summarizer } from '@tenfold/core/summarizer'
import { type VendorSummarizerOptions, vendorSummarizer, windows } from '../model/vendor-summarizer.ts'
import { type AiSdkOptions, aiSdkModel } from './ai-sdk-model.ts'

/** The model, and how it is asked. */
export interface AiSdkSummarizerOptions extends AiSdkOptions, VendorSummarizerOptions {
  /** Name in bundles and ledgers. @default 'ai-sdk' */
  readonly name?: string | undefined
  /** The window of the model, which the SDK does not know. @default 128_000 */
  readonly contextWindow?: number | undefined
}

/**
 * Summarizes sessions with a model of the Vercel AI SDK, of any provider: `aiSdkSummarizer({ model })`. Throws as
 * {@link aiSdkModel} and `modelSummarizer` do for wrong options.
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
