/**
 * The part of a language model of the Vercel AI SDK that is used, in AI SDK 5, 6 and 7. Declared here, so that models
 * of all three versions fit and compiling needs neither `ai` nor `@ai-sdk/provider`.
 * https://github.com/vercel/ai/tree/main/packages/provider/src/language-model
 */
export interface AiSdkLanguageModel {
  /** Version of the interface, such as `v3`. */
  readonly specificationVersion: string
  /** Such as `anthropic.messages`. */
  readonly provider: string
  /** The vendor's name of the model. */
  readonly modelId: string
  /** Calls the model once, without the retries of the functions of `ai`. */
  doStream(call: AiSdkCall): PromiseLike<AiSdkStream>
}

/** Arguments of a model call. */
export interface AiSdkCall {
  /** The messages. */
  readonly prompt: AiSdkMessage[]
  /** Maximum tokens of the answer. */
  readonly maxOutputTokens: number
  /** Requires JSON that matches this schema. */
  readonly responseFormat?: {
    readonly type: 'json'
    readonly schema?: Record<string, unknown>
    readonly name?: string
  }
  /** Undefined for the model's default. */
  readonly temperature?: number
  /** For models that support reproducible answers. */
  readonly seed?: number
  /** Passed on as they are. */
  readonly providerOptions?: Record<string, Record<string, AiSdkJson>>
  /** Passed on as they are. */
  readonly headers?: Record<string, string>
  /** Aborts the call. */
  readonly abortSignal: AbortSignal
}

/** A message of the prompt. */
export type AiSdkMessage =
  | { readonly role: 'system'; readonly content: string }
  | {
      readonly role: 'user' | 'assistant'
      readonly content: { readonly type: 'text'; readonly text: string }[]
    }

/** A JSON value. */
export type AiSdkJson = null | string | number | boolean | AiSdkJson[] | { [key: string]: AiSdkJson }

/** What a call returns. */
export interface AiSdkStream {
  /** The parts of the answer. */
  readonly stream: ReadableStream<{ readonly type: string }>
  /** Headers, with the request's id. */
  readonly response?: { readonly headers?: Record<string, string> | undefined } | undefined
}
