import type { Summarizer } from '@tenfold/core/summarizer'
import { type VendorSummarizerOptions, vendorSummarizer, windows } from '../model/vendor-summarizer.ts'
import { type AnthropicOptions, anthropicModel, credentialCheck } from './anthropic-model.ts'

/** The model and its options. */
export interface AnthropicSummarizerOptions extends AnthropicOptions, Omit<VendorSummarizerOptions, 'name'> {
  /**
   * The model's context window in its own tokens. Current models have 1_000_000, but a smaller window limits the price
   * of a call. Claude Haiku 5.5 costs five times as much for a prompt above 100_000, which `maxInputTokens: 100_000`
   * avoids.
   * @default 200_000
   */
  readonly contextWindow?: number | undefined
  /**
   * Maximum output tokens, including thinking, which current models always do. If given, every request asks for this
   * many; otherwise for what its answer should need. @default 32_000 at most
   */
  readonly maxOutputTokens?: number | undefined
  /**
   * Claude's tokens per token of o200k_base. Claude always needed more, and from Opus 4.7 on some 30 % more than
   * before. https://platform.claude.com/docs/en/build-with-claude/token-counting @default 1.5
   */
  readonly tokenFactor?: number | undefined
}

/**
 * Summarizes sessions with Claude. Throws like {@link anthropicModel} and `modelSummarizer` for invalid options.
 * Without an API key, a chain continues with its next summarizer; outside a chain, it rejects with TenfoldError
 * `missing-api-key` before a log is read, or `missing-package` if the package `@anthropic-ai/sdk` is not installed.
 */
export function anthropicSummarizer(options: AnthropicSummarizerOptions): Summarizer {
  const { model, effort, extra = {} } = options
  const summarizer = vendorSummarizer(options, {
    name: 'anthropic',
    model,
    window: windows.anthropic,
    settings: effort && `effort ${effort}`,
    // Anthropic caches only what a request marks for caching.
    writesCache: JSON.stringify(extra).includes('"cache_control"'),
    call: anthropicModel(options),
  })
  return { ...summarizer, assertReady: credentialCheck(options) }
}
