import type OpenAI from 'openai'

/** Levels that are known, and any that a model may learn. */
type OpenAIEffort = NonNullable<OpenAI.ReasoningEffort> | (string & {})

/** What the body of a call is made with, whichever API it goes to. */
export interface ParamsOptions {
  readonly model: string
  /** How long a reasoning model thinks. @default what the model does by itself */
  readonly effort?: OpenAIEffort
  /**
   * Fields added to the body, or put in place of those made here, such as OpenRouter's
   * `provider: { require_parameters: true }`.
   */
  readonly extra?: Readonly<Record<string, unknown>>
}

/** What only Chat Completions takes. */
export interface SamplingOptions {
  /** Chat only. @default what the server does by itself */
  readonly temperature?: number
  /** Chat only. @default none */
  readonly seed?: number
}
