import { type ModelError, type ModelReply, type ModelRequest, modelMessage } from '../provider/model.ts'

/**
 * Sends the model its answer and what is wrong with it, together with all data again. `inputTokens` grows by an upper
 * estimate of the addition.
 */
export function repairRequest(request: ModelRequest, reply: ModelReply, error: ModelError): ModelRequest {
  const order = `This answer cannot be used: ${error.message}. Answer again with the whole corrected JSON object and nothing else: no prose, no code fence.`
  const added = Buffer.byteLength(reply.text) + Buffer.byteLength(order)
  return {
    ...request,
    messages: [...request.messages, modelMessage('assistant', reply.text), modelMessage('user', order)],
    // Two bytes per token: JSON has three to four, and no tokenizer in use is that wasteful with other scripts.
    inputTokens: request.inputTokens + Math.ceil(added / 2),
  }
}
