// The public surface of @tenfold/summarizers/ai-sdk. Everything else is internal.

export { type AiSdkOptions, aiSdkModel } from './ai-sdk-model.ts'
export { type AiSdkSummarizerOptions, aiSdkSummarizer } from './ai-sdk-summarizer.ts'
export type {
  AiSdkCall,
  AiSdkJson,
  AiSdkLanguageModel,
  AiSdkMessage,
  AiSdkStream,
} from './language-model.ts'
