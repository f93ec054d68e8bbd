import { known } from '@tenfold/core/internal/summarizer'
import type { TokenUsage } from '@tenfold/core/summarizer'
import type { ChatResponse } from 'ollama'
import { cutOff } from '../provider/call-error.ts'
import type { FailedCall } from '../provider/failures.ts'
import { ModelError, type ModelReply, type ModelRequest, type ModelStop } from '../provider/model.ts'
import type { Answer } from '../provider/run-call.ts'
import { tokenUsage } from '../provider/token-usage.ts'

/** A line of the stream. Older servers leave fields out; newer ones add the number of cached tokens. */
export type ChatLine = Partial<ChatResponse> & { readonly prompt_eval_cached_count?: number }

/** Collects an answer to a request; `about` is what is known of the call. */
export function streamedChat(
  request: ModelRequest,
  numCtx: number,
  about: FailedCall = {},
): Answer<ChatLine> {
  let answering = false
  let text = ''
  let { model } = about
  let last: ChatLine | undefined
  const facts = () => ({ ...about, answering, usage: usageOfChat(last), ...known({ model }) })
  return {
    begin() {
      answering = true
    },
    add(line) {
      if (typeof line.message?.content === 'string') text += line.message.content
      if (typeof line.model === 'string') model = line.model
      if (line.done === true) last = line
      return false
    },
    whole: () => last !== undefined,
    facts,
    reply() {
      if (last === undefined) throw cutOff(undefined, facts())
      return replyOf(text, last, known({ model }), request, numCtx)
    },
  }
}

/**
 * The reply in a complete answer. Throws ModelError (`prompt-too-long`) if the counts show that the server cut the
 * prompt, and `cut-off` if it stopped for a reason that is not the end of an answer.
 */
function replyOf(
  text: string,
  last: ChatLine,
  model: Pick<ModelReply, 'model'>,
  request: ModelRequest,
  numCtx: number,
): ModelReply {
  const usage = usageOfChat(last)
  const { inputTokens: read = 0, outputTokens: wrote = 0 } = usage
  if (wasCut(read, request.inputTokens, numCtx))
    throw new ModelError(
      `Ollama cut the prompt: it read ${read} tokens with a window of ${numCtx}. Raise numCtx, or let the model read less at once`,
      { reason: 'prompt-too-long', usage, ...model },
    )
  const stop = stopOf(last, { read, wrote, numCtx, most: request.maxOutputTokens })
  if (stop !== undefined) return { text, stop, usage, ...model }
  throw new ModelError(`Ollama ended its answer with ${JSON.stringify(last.done_reason)}`, {
    reason: 'cut-off',
    retryable: true,
    usage,
    ...model,
  })
}

function stopOf(
  { done_reason }: ChatLine,
  { read, wrote, numCtx, most }: Readonly<Record<'read' | 'wrote' | 'numCtx' | 'most', number>>,
): ModelStop | undefined {
  if (done_reason === 'length') return read + wrote >= numCtx ? 'context-exceeded' : 'max-tokens'
  // Servers from before 2024 give no reason.
  if (done_reason === undefined) return wrote >= most ? 'max-tokens' : 'end'
  return done_reason === 'stop' ? 'end' : undefined
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
