import type Anthropic from '@anthropic-ai/sdk'
import { known } from '@tenfold/core/internal/summarizer'
import type { ModelRequest } from '../provider/model.ts'

type KnownEffort = 'low' | 'medium' | 'high' | 'xhigh' | 'max'

/** The known levels, or any other that a model may support. */
export type AnthropicEffort = KnownEffort | (string & {})

export interface MessageParamsOptions {
  readonly model: string
  /** Reasoning effort. @default the model's own */
  readonly effort?: AnthropicEffort | undefined
  /** Further fields of the body, by the API's names: `thinking`, `cache_control`, `service_tier` … */
  readonly extra?: Readonly<Record<string, unknown>> | undefined
}

/** The body of a request, alone or in a batch, without the fields for streaming. */
export type MessageParams = Omit<Anthropic.MessageCreateParamsNonStreaming, 'stream'>

/**
 * Converts a request to Anthropic's format. Sets no temperature, which the API version of the SDK rejects.
 * https://platform.claude.com/docs/en/build-with-claude/structured-outputs
 */
export function messageParams(request: ModelRequest, options: MessageParamsOptions): MessageParams {
  const { stream: _, output_config, ...extra } = options.extra ?? {}
  // The API rejects `$schema`.
  const { $schema: _draft, ...schema } = request.schema
  const system = request.system.toWellFormed()
  return {
    ...extra,
    model: options.model,
    max_tokens: request.maxOutputTokens,
    ...(system === '' ? {} : { system }),
    messages: request.messages.map(({ role, text }) => ({ role, content: text.toWellFormed() })),
    output_config: {
      ...(typeof output_config === 'object' ? output_config : {}),
      ...known({ effort: options.effort as KnownEffort | undefined }),
      format: { type: 'json_schema', schema },
    },
  }
}
