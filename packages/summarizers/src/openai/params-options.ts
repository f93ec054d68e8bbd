import type OpenAI from 'openai'

/** The known levels, and any other that a model may support. */
type OpenAIEffort = NonNullable<OpenAI.ReasoningEffort> | (string & {})

/** Options for the body of a call, for either API. */
export interface ParamsOptions {
  readonly model: string
  /** How long a reasoning model thinks. @default the model's own */
  readonly effort?: OpenAIEffort | undefined
  /**
   * Fields added to the body, or replacing those made here, such as OpenRouter's
   * `provider: { require_parameters: true }`.
   */
  readonly extra?: Readonly<Record<string, unknown>> | undefined
}

/** Options that only Chat Completions takes. */
export interface SamplingOptions {
  /** Chat only. @default the server's own */
  readonly temperature?: number | undefined
  /** Chat only. @default none */
  readonly seed?: number | undefined
}
