import type { Summarizer } from '@tenfold/core/summarizer'
import { type ModelSummarizerOptions, modelSummarizer } from './model-summarizer.ts'

/** What a caller may set of a vendor's summarizer. */
export type VendorSummarizerOptions = {
  readonly [Name in keyof Omit<ModelSummarizerOptions, 'call' | 'model'>]?:
    | ModelSummarizerOptions[Name]
    | undefined
}

/** How much of a model's window a call takes by default, and how many of its tokens one of o200k_base is. */
export interface DefaultWindow {
  readonly contextWindow: number
  readonly maxOutputTokens: number
  readonly tokenFactor: number
}

/** The windows by default. */
export const windows = {
  anthropic: { contextWindow: 200_000, maxOutputTokens: 32_000, tokenFactor: 1.5 },
  openai: { contextWindow: 272_000, maxOutputTokens: 32_000, tokenFactor: 1.05 },
  /** Chat Completions of another server, whose window must be set to as much. */
  compatible: { contextWindow: 32_768, maxOutputTokens: 4096, tokenFactor: 1.4 },
  ollama: { contextWindow: 32_768, maxOutputTokens: 4096, tokenFactor: 1.3 },
  aiSdk: { contextWindow: 128_000, maxOutputTokens: 16_000, tokenFactor: 1.35 },
} as const satisfies Record<string, DefaultWindow>

/** A summarizer over a vendor's model: what the caller leaves out is as the vendor has it. */
export function vendorSummarizer(
  options: VendorSummarizerOptions,
  vendor: Pick<ModelSummarizerOptions, 'name' | 'model' | 'call' | 'settings' | 'writesCache'> & {
    readonly window: DefaultWindow
  },
): Summarizer {
  const { window, ...defaults } = vendor
  const contextWindow = options.contextWindow ?? window.contextWindow
  const given = Object.entries(options).filter(([, value]) => value !== undefined)
  return modelSummarizer({
    maxOutputTokens: Math.min(window.maxOutputTokens, Math.floor(contextWindow / 4)),
    tokenFactor: window.tokenFactor,
    wholeOutput: options.maxOutputTokens !== undefined,
    ...defaults,
    ...Object.fromEntries(given),
    contextWindow,
    model: vendor.model,
    call: vendor.call,
    // The model enforces the time limit itself: it knows what was billed until then.
    timeoutMs: Number.POSITIVE_INFINITY,
  })
}
