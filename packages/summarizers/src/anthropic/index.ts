// The public surface of @tenfold/summarizers/anthropic. Everything else is internal.

export {
  type AnthropicBatchClient,
  type AnthropicBatchOptions,
  anthropicBatch,
} from './anthropic-batch.ts'
export { type AnthropicClient, type AnthropicOptions, anthropicModel } from './anthropic-model.ts'
export { type AnthropicSummarizerOptions, anthropicSummarizer } from './anthropic-summarizer.ts'
export type { AnthropicEffort } from './message-params.ts'
