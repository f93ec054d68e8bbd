import type { TokenUsage } from '@tenfold/core/summarizer'
import type { ChatResponse } from 'ollama'
import { known, tokenUsage } from '../provider/fields.ts'
import { ModelError, type ModelReply, type ModelRequest, type ModelStop } from '../provider/model.ts'

/** A line of the stream. Older servers leave fields out; newer ones add the number of cached tokens. */
export type ChatLine = Partial<ChatResponse> & { readonly prompt_eval_cached_count?: number }

/** Received part of an answer; `last` is set once it is complete. */
export interface StreamedChat {
  text: string
  model: string | undefined
  last: ChatLine | undefined
}

/** An answer of which nothing has arrived yet. */
export function newStreamedChat(): StreamedChat {
  return { text: '', model: undefined, last: undefined }
}

/** Adds one line to an answer. */
export function takeLine(chat: StreamedChat, line: ChatLine): void {
  if (typeof line.message?.content === 'string') chat.text += line.message.content
  if (typeof line.model === 'string') chat.model = line.model
  if (line.done === true) chat.last = line
}

/**
 * The reply in a complete answer. Throws ModelError (`prompt-too-long`) if the counts show that the server cut the
 * prompt, and `cut-off` if it stopped for a reason that is not the end of an answer.
 */
export function replyOfChat(chat: StreamedChat, request: ModelRequest, numCtx: number): ModelReply {
  const usage = usageOfChat(chat.last)
  const about = { usage, ...known({ model: chat.model }) }
  const { inputTokens: read = 0, outputTokens: wrote = 0 } = usage
  if (wasCut(read, request.inputTokens, numCtx))
    throw new ModelError(
      `Ollama cut the prompt: it read ${read} tokens with a window of ${numCtx}. Raise numCtx, or let the model read less at once`,
      { reason: 'prompt-too-long', ...about },
    )
  return { text: chat.text, stop: stopOf(), ...about }

  function stopOf(): ModelStop {
    const reason = chat.last?.done_reason
    if (reason === 'length') return read + wrote >= numCtx ? 'context-exceeded' : 'max-tokens'
    if (reason === 'stop') return 'end'
    // Servers from before 2024 give no reason.
    if (reason === undefined) return wrote >= request.maxOutputTokens ? 'max-tokens' : 'end'
    throw new ModelError(`Ollama ended its answer with ${JSON.stringify(reason)}`, {
      reason: 'cut-off',
      retryable: true,
      ...about,
    })
  }
}

/**
 * Whether a prompt was cut: a server that cuts one reports that it read all that fits, or half of it.
 * https://github.com/ollama/ollama/issues/17427
 */
function wasCut(read: number, estimate: number, numCtx: number): boolean {
  return read >= numCtx - 1 || (read === Math.floor(numCtx / 2) + 2 && read < estimate)
}

/** Usage in Tenfold's fields. Some servers give no count, or 0, for a prompt that they had in their cache. */
function usageOfChat(line: ChatLine | undefined): TokenUsage {
  return tokenUsage({
    inputTokens: line?.prompt_eval_count || undefined,
    outputTokens: line?.eval_count,
    cacheReadTokens: line?.prompt_eval_cached_count,
  })
}
