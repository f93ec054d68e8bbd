import type { ChatRequest, Options } from 'ollama'
import { windows } from '../model/vendor-summarizer.ts'
import { known } from '../provider/fields.ts'
import { ModelError, type ModelRequest } from '../provider/model.ts'

export interface ChatRequestOptions {
  readonly model: string
  /**
   * Tokens of the window that the server keeps for the model, prompt and answer together. More takes more memory, and
   * the server cuts it down to what the model was trained for. @default 32_768
   */
  readonly numCtx?: number | undefined
  /** How long the model stays in memory after a call: seconds, or such as `10m`. @default the server's (5 minutes) */
  readonly keepAlive?: string | number | undefined
  /** Whether a reasoning model thinks; its thinking counts as output. @default the model's own */
  readonly think?: boolean | 'low' | 'medium' | 'high' | undefined
  /** @default 0 */
  readonly temperature?: number | undefined
  /** @default 1 */
  readonly seed?: number | undefined
  /** Further options of the model, by Ollama's names. */
  readonly options?: Readonly<Partial<Options>> | undefined
}

/**
 * Converts a request to Ollama's format; the server enforces the schema. Throws ModelError (`prompt-too-long`) if
 * prompt and answer do not fit the window, since Ollama would cut the prompt silently. https://docs.ollama.com/api/chat
 */
export function chatRequest(
  request: ModelRequest,
  options: ChatRequestOptions,
): ChatRequest & { stream: true } {
  const { model, numCtx = windows.ollama.contextWindow, keepAlive, think } = options
  const { inputTokens, maxOutputTokens } = request
  if (inputTokens + maxOutputTokens > numCtx)
    throw new ModelError(
      `about ${inputTokens} tokens to read and ${maxOutputTokens} to write do not fit numCtx, ${numCtx}: raise it, or let the model read less at once`,
      { reason: 'prompt-too-long', model },
    )
  const system = request.system.toWellFormed()
  return {
    model,
    messages: [
      ...(system === '' ? [] : [{ role: 'system', content: system }]),
      ...request.messages.map(({ role, text }) => ({ role, content: text.toWellFormed() })),
    ],
    format: request.schema,
    stream: true,
    options: {
      temperature: options.temperature ?? 0,
      seed: options.seed ?? 1,
      ...options.options,
      num_ctx: numCtx,
      num_predict: maxOutputTokens,
    },
    ...known({ keep_alive: keepAlive, think }),
  }
}
