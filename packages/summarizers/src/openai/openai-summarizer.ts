import { type Summarizer, TenfoldError } from '@tenfold/core/summarizer'
import { type VendorSummarizerOptions, vendorSummarizer, windows } from '../model/vendor-summarizer.ts'
import { type OpenAIOptions, openaiModel } from './openai-model.ts'
import { keyAdvice, openaiServer } from './openai-server.ts'

/** The model, and how it is asked. */
export interface OpenAISummarizerOptions extends OpenAIOptions, VendorSummarizerOptions {
  /** Name in bundles and ledgers: `openrouter`, `vllm`. @default 'openai' */
  readonly name?: string | undefined
  /**
   * @default 272_000, above which GPT-6 costs twice as much; 32_768 for Chat Completions of another server, which must
   * itself be set to as much
   */
  readonly contextWindow?: number | undefined
  /**
   * If given, every request asks for as many; otherwise for what its answer should take. @default 32_000 at most; 4_096
   * for Chat Completions of another server; never more than a quarter of the window
   */
  readonly maxOutputTokens?: number | undefined
  /** @default 1.05 for OpenAI itself, whose newer models are assumed to count as o200k_base does; 1.4 for others */
  readonly tokenFactor?: number | undefined
}

/**
 * Summarizes sessions with a model of OpenAI, or of any compatible server: vLLM, LM Studio, llama.cpp, OpenRouter.
 * Without a key for OpenAI itself a chain asks its next summarizer; without one, it rejects with TenfoldError
 * `missing-api-key`, before a log is read, and with `missing-package` if the package `openai` is not installed.
 */
export function openaiSummarizer(options: OpenAISummarizerOptions): Summarizer {
  const { model, effort } = options
  const { api, isOwn, keyMissing, client } = openaiServer(options)
  const { tokenFactor } = isOwn ? windows.openai : windows.compatible
  const summarizer = vendorSummarizer(options, {
    name: 'openai',
    model,
    window: { ...(api === 'chat' && !isOwn ? windows.compatible : windows.openai), tokenFactor },
    settings: effort && `effort ${effort}`,
    call: openaiModel({ ...options, api }),
  })
  return {
    ...summarizer,
    async assertReady() {
      if (keyMissing) throw new TenfoldError('missing-api-key', keyAdvice)
      await client()
    },
  }
}
