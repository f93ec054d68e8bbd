import type { Summarizer } from '@tenfold/core/summarizer'
import { type VendorSummarizerOptions, vendorSummarizer, windows } from '../model/vendor-summarizer.ts'
import { type AnthropicOptions, anthropicModel, credentialCheck } from './anthropic-model.ts'

/** The model, and how it is asked. */
export interface AnthropicSummarizerOptions extends AnthropicOptions, Omit<VendorSummarizerOptions, 'name'> {
  /**
   * The window of the model in its tokens. Current models have 1_000_000; a smaller window keeps the price of a call
   * low, and Claude Haiku 5.5 costs five times as much for a prompt above 100_000: `maxInputTokens: 100_000` stays
   * below that.
   * @default 200_000
   */
  readonly contextWindow?: number | undefined
  /**
   * Thinking counts too, and current models always think. If given, every request asks for as many; otherwise for what
   * its answer should take. @default 32_000 at most
   */
  readonly maxOutputTokens?: number | undefined
  /**
   * Claude's tokens for one of o200k_base. Claude from Opus 4.7 on takes some 30 % more tokens for a text than before,
   * and took more than o200k_base before. https://platform.claude.com/docs/en/build-with-claude/token-counting @default
   * 1.5
   */
  readonly tokenFactor?: number | undefined
}

/**
 * Summarizes sessions with Claude. Throws as {@link anthropicModel} and `modelSummarizer` do for wrong options. Without
 * a key a chain asks its next summarizer; without one, it rejects with TenfoldError `missing-api-key`, before a log is
 * read, and with `missing-package` if the package `@anthropic-ai/sdk` is not installed.
 */
export function anthropicSummarizer(options: AnthropicSummarizerOptions): Summarizer {
  const { model, effort, extra = {} } = options
  const summarizer = vendorSummarizer(options, {
    name: 'anthropic',
    model,
    window: windows.anthropic,
    settings: effort && `effort ${effort}`,
    // Anthropic caches only what a request asks it to cache.
    writesCache: JSON.stringify(extra).includes('"cache_control"'),
    call: anthropicModel(options),
  })
  return { ...summarizer, assertReady: credentialCheck(options) }
}
