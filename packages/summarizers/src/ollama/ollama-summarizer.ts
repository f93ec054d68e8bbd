import type { Summarizer } from '@tenfold/core/summarizer'
import { type VendorSummarizerOptions, vendorSummarizer, windows } from '../model/vendor-summarizer.ts'
import { type OllamaOptions, ollamaModel, ollamaPackage } from './ollama-model.ts'

/** The model, and how it is asked. */
export interface OllamaSummarizerOptions
  extends OllamaOptions,
    Omit<VendorSummarizerOptions, 'name' | 'contextWindow'> {
  /** @default a quarter of `numCtx`, 4096 at most */
  readonly maxOutputTokens?: number | undefined
  /** Tokens of the model for one of o200k_base: vocabularies of local models are smaller. @default 1.3 */
  readonly tokenFactor?: number | undefined
}

/**
 * Summarizes sessions with a model on an Ollama server; what does not fit `numCtx` is summarized in parts. A server
 * works on one request at a time unless OLLAMA_NUM_PARALLEL is set, and then keeps a window for each: use no more
 * concurrency than that, or requests wait in its queue until `idleTimeoutMs` ends them. Throws as {@link ollamaModel}
 * and `modelSummarizer` do for wrong options; TenfoldError `missing-package`, before a log is read, if the package
 * `ollama` is not installed.
 */
export function ollamaSummarizer(options: OllamaSummarizerOptions): Summarizer {
  const { model, think, numCtx, client } = options
  const summarizer = vendorSummarizer(
    { ...options, contextWindow: numCtx },
    {
      name: 'ollama',
      model,
      window: windows.ollama,
      settings: think === undefined ? undefined : `think ${think}`,
      call: ollamaModel(options),
    },
  )
  return {
    ...summarizer,
    async assertReady() {
      if (client === undefined) await ollamaPackage()
    },
  }
}
