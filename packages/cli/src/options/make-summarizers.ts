import type { Summarizer } from '@tenfold/core'
import { chainOf, type ModelOptions, type SummarizerChoice } from './model-options.ts'

/** Makes the summarizer that the options name, then its fallbacks. Loads only the SDKs that they need. */
export async function makeSummarizers(options: ModelOptions): Promise<Summarizer[]> {
  return await Promise.all(chainOf(options).map((choice) => makeSummarizer(choice, options)))
}

async function makeSummarizer(choice: SummarizerChoice, options: ModelOptions): Promise<Summarizer> {
  const { baseUrl, api, effort, contextWindow, maxRequestTokens, maxOutputTokens, timeout } = options
  const model = choice.model ?? options.model ?? ''
  const common = {
    model,
    contextWindow,
    maxInputTokens: maxRequestTokens,
    maxOutputTokens,
    // The limit for a whole log also bounds each of its requests.
    timeoutMs: timeout,
  }
  const server = {
    baseURL: baseUrl,
    effort,
  }
  switch (choice.name) {
    case 'extractive':
      return (await import('@tenfold/summarizers/extractive')).extractiveSummarizer()
    case 'anthropic':
      return (await import('@tenfold/summarizers/anthropic')).anthropicSummarizer({ ...common, ...server })
    case 'openai':
      return (await import('@tenfold/summarizers/openai')).openaiSummarizer({
        ...common,
        ...server,
        api,
      })
    case 'ollama':
      return (await import('@tenfold/summarizers/ollama')).ollamaSummarizer({
        model,
        host: baseUrl,
        numCtx: contextWindow,
        maxOutputTokens,
        timeoutMs: timeout,
      })
  }
}
