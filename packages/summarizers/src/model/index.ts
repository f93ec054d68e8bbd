// The public surface of @tenfold/summarizers/model: what is not named here is internal.

export {
  type Model,
  type ModelControl,
  ModelError,
  type ModelErrorOptions,
  type ModelMessage,
  type ModelReply,
  type ModelRequest,
  type ModelStop,
  modelMessage,
} from '../provider/model.ts'
export { type CallModelOptions, callModel, type RetryOptions } from './call-model.ts'
export { type ModelSummarizerOptions, modelSummarizer } from './model-summarizer.ts'
export { promptOpening, promptVersion } from './prompt.ts'
export {
  modelRequestFor,
  type SummaryRequestOptions,
} from './summary-call.ts'
