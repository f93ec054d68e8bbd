import type { SummarizerFailure, TokenUsage } from '@tenfold/core/summarizer'

/** A message of a request. `content` is the same text under the name that most SDKs give it. */
export interface ModelMessage {
  /** Who says it. */
  readonly role: 'user' | 'assistant'
  /** What is said. */
  readonly text: string
  /** The answer as the model gave it. */
  readonly content: string
}

/** Creates a message with both names of its text. */
export function modelMessage(role: ModelMessage['role'], text: string): ModelMessage {
  return { role, text, content: text }
}

/** One call of a language model that must answer with one JSON object. Plain data: a batch stores it. */
export interface ModelRequest {
  /** Instructions. */
  readonly system: string
  /** Begins with `user`; an answer to be repaired is in it as `assistant`. */
  readonly messages: readonly ModelMessage[]
  /**
   * JSON Schema of the answer in the subset that all providers take: closed objects, every field required, no
   * recursion.
   */
  readonly schema: Readonly<Record<string, unknown>>
  /** `[a-z_]{1,64}` */
  readonly schemaName: string
  /** Longest answer. */
  readonly maxOutputTokens: number
  /** Upper estimate of the tokens that the request takes of the window. */
  readonly inputTokens: number
}

/** Why a model ended its answer. Only `end` means that the answer is complete. */
export const modelStops = ['end', 'max-tokens', 'context-exceeded', 'refusal', 'content-filter'] as const

/** One of {@link modelStops}. */
export type ModelStop = (typeof modelStops)[number]

/** An answer of a model. */
export interface ModelReply {
  /** What it says. */
  readonly text: string
  /** What is billed for it. */
  readonly usage: TokenUsage
  /** Why it ended. */
  readonly stop: ModelStop
  /** The model that answered, if the provider reports it. */
  readonly model?: string
  /** The vendor's id of the request. */
  readonly requestId?: string
}

/** Control that the caller of a model passes in addition to the request. */
export interface ModelControl {
  /** Aborts the call. */
  readonly signal: AbortSignal
  /** Called when the answer begins: from then on the call may be billed, no matter how it ends. */
  readonly onBegin?: () => void
  /**
   * Awaited for a request that the server refused, before the model sends it in another form. Throws if the caller
   * allows no further request.
   */
  readonly onRefused?: (error: ModelError) => void | Promise<void>
}

/**
 * Calls a language model once, without retries. Throws ModelError if there is no reply; rejects promptly with the
 * reason of the signal when it aborts.
 */
export type Model = (request: ModelRequest, control: ModelControl) => Promise<ModelReply>

/** What is known of the failed call. */
export interface ModelErrorOptions extends ErrorOptions {
  /** Why the call failed. */
  readonly reason: SummarizerFailure
  /** Whether a retry may succeed. @default false */
  readonly retryable?: boolean | undefined
  /** How long the provider asks to wait. */
  readonly retryAfterMs?: number | undefined
  /** Most retries that make sense, if fewer than the caller allows. */
  readonly retryLimit?: number | undefined
  /** Usage that was billed, as far as known. */
  readonly usage?: TokenUsage | undefined
  /** The id by which the provider knows the call. */
  readonly requestId?: string | undefined
  /** The model that answered. */
  readonly model?: string | undefined
  /** For `prompt-too-long`: input tokens that the server takes, if known. */
  readonly inputLimit?: number | undefined
}

/** A call that gave no reply. The message contains no part of the prompt and no key. */
export class ModelError extends Error {
  /** Why the call failed. */
  readonly reason: SummarizerFailure
  /** Whether a retry may succeed. */
  readonly retryable: boolean
  /** How long the provider asks to wait. */
  readonly retryAfterMs: number | undefined
  /** Most retries that make sense, if fewer than the caller allows. */
  readonly retryLimit: number | undefined
  /** Usage that was billed, as far as known. */
  readonly usage: TokenUsage
  /** The id by which the provider knows the call. */
  readonly requestId: string | undefined
  /** The model that answered. */
  readonly model: string | undefined
  /** For `prompt-too-long`: input tokens that the server takes, if known. */
  readonly inputLimit: number | undefined

  constructor(message: string, options: ModelErrorOptions) {
    super(message, options)
    this.name = 'ModelError'
    this.reason = options.reason
    this.retryable = options.retryable ?? false
    this.retryAfterMs = options.retryAfterMs
    this.retryLimit = options.retryLimit
    this.usage = options.usage ?? {}
    this.requestId = options.requestId
    this.model = options.model
    this.inputLimit = options.inputLimit
  }
}
