import { type Summarizer, TenfoldError } from '@tenfold/core/summarizer'
import { type ModelSummarizerOptions, modelSummarizer } from '../model/model-summarizer.ts'
import { compatibleWindow, defaultWindow, foreignTokenFactor } from './default-window.ts'
import { type OpenAIOptions, openaiModel } from './openai-model.ts'
import { keyAdvice, openaiServer } from './openai-server.ts'

export interface OpenAISummarizerOptions
  extends OpenAIOptions,
    Omit<ModelSummarizerOptions, 'name' | 'call' | 'model' | 'contextWindow'> {
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
 * `missing-api-key`.
 */
export function openaiSummarizer(options: OpenAISummarizerOptions): Summarizer {
  const { api, isOwn, keyMissing } = openaiServer(options)
  const window = api === 'chat' && !isOwn ? compatibleWindow : defaultWindow
  const { contextWindow = window.contextWindow } = options
  const summarizer = modelSummarizer({
    ...options,
    name: options.name ?? 'openai',
    settings: options.settings ?? (options.effort === undefined ? undefined : `effort ${options.effort}`),
    contextWindow,
    maxOutputTokens:
      options.maxOutputTokens ?? Math.min(window.maxOutputTokens, Math.floor(contextWindow / 4)),
    tokenFactor: options.tokenFactor ?? (isOwn ? defaultWindow.tokenFactor : foreignTokenFactor),
    wholeOutput: options.wholeOutput ?? options.maxOutputTokens !== undefined,
    // The model enforces the time limit itself: it knows what was billed until then.
    timeoutMs: Number.POSITIVE_INFINITY,
    call: openaiModel({ ...options, api }),
  })
  return {
    ...summarizer,
    async assertReady() {
      if (keyMissing) throw new TenfoldError('missing-api-key', keyAdvice)
    },
  }
}
