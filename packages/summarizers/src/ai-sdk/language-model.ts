/**
 * The part of a language model of the Vercel AI SDK that is used, as AI SDK 5, 6 and 7 have it. Declared here, so that
 * models of all three fit, and neither `ai` nor a version of `@ai-sdk/provider` is needed to compile.
 * https://github.com/vercel/ai/tree/main/packages/provider/src/language-model
 */
export interface AiSdkLanguageModel {
  readonly specificationVersion: string
  /** Such as `anthropic.messages`. */
  readonly provider: string
  readonly modelId: string
  /** Calls the model once: retries are made by the functions of `ai`, which are not used. */
  doStream(call: AiSdkCall): PromiseLike<AiSdkStream>
}

export interface AiSdkCall {
  readonly prompt: AiSdkMessage[]
  readonly maxOutputTokens: number
  readonly responseFormat?: {
    readonly type: 'json'
    readonly schema?: Record<string, unknown>
    readonly name?: string
  }
  readonly temperature?: number
  readonly seed?: number
  readonly providerOptions?: Record<string, Record<string, AiSdkJson>>
  readonly headers?: Record<string, string>
  readonly abortSignal: AbortSignal
}

export type AiSdkMessage =
  | { readonly role: 'system'; readonly content: string }
  | {
      readonly role: 'user' | 'assistant'
      readonly content: { readonly type: 'text'; readonly text: string }[]
    }

/** A JSON value. */
export type AiSdkJson = null | string | number | boolean | AiSdkJson[] | { [key: string]: AiSdkJson }

export interface AiSdkStream {
  readonly stream: ReadableStream<{ readonly type: string }>
  readonly response?: { readonly headers?: Record<string, string> | undefined } | undefined
}
