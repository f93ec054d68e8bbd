// The public surface of @tenfold/summarizers/openai: what is not named here is internal.

export type { StructuredMode } from '../provider/structured.ts'
export type { MaxTokensField } from './call-params.ts'
export { type OpenAIBatchClient, type OpenAIBatchOptions, openaiBatch } from './openai-batch.ts'
export { type OpenAIOptions, openaiModel } from './openai-model.ts'
export type { ServerOptions } from './openai-server.ts'
export { type OpenAISummarizerOptions, openaiSummarizer } from './openai-summarizer.ts'
