import { asCount, asObject, asText, type JsonObject } from '../../session/json-values.ts'
import { known } from '../../session/known.ts'
import type { TokenUsage } from '../../session/usage.ts'
import { toolKindOf } from '../../tools/tool-kind.ts'
import { geminiPieces } from '../gemini-cli/user-text.ts'
import { type QwenState, write } from './state.ts'
import { qwenOutcome } from './tool-outcome.ts'

/** Reads text under the user's name: typed, typed while the agent worked, or written by a program. */
export function readPrompt(state: QwenState, record: JsonObject, parts: readonly unknown[]): void {
  const shown = asText(asObject(record.systemPayload)?.displayText)
  const texts = parts.flatMap((part) => asText(asObject(part)?.text) ?? [])
  const images = parts.filter((part) => asObject(asObject(part)?.inlineData) !== undefined).length
  const text = shown ?? texts.join('\n')
  const pictures = images > 0 ? { images } : {}
  for (const part of parts) keepUnknown(state, part, ['text', 'inlineData', 'fileData'])
  if (text.trim() === '' && images === 0) return
  const source = asText(record.provenance) ?? 'real_user'
  if (state.byAgent) write(state, { type: 'context', origin: 'agent', name: 'task', text, ...pictures })
  else if (source !== 'real_user')
    write(state, { type: 'context', origin: 'notification', name: source, text, ...pictures })
  else if (record.subtype === 'mid_turn_user_message')
    write(state, { type: 'user', origin: 'queued', text, ...pictures })
  else writeTyped(state, text, images)
}

function writeTyped(state: QwenState, text: string, images: number): void {
  const pieces = geminiPieces(text, undefined)
  const words = pieces.findIndex((piece) => piece.type === 'user')
  for (const [index, piece] of pieces.entries())
    write(state, { ...piece, ...(images > 0 && index === Math.max(0, words) && { images }) })
  if (pieces.length === 0) write(state, { type: 'user', origin: 'typed', text: '', images })
}

/** Reads an answer of the model: thoughts, text, calls, and its usage. */
export function readAnswer(state: QwenState, record: JsonObject, parts: readonly unknown[]): void {
  const { agent, out } = state
  const model = asText(record.model)
  const usage = usageOf(asObject(record.usageMetadata))
  const by = model === undefined ? {} : { model }
  if (usage !== undefined)
    out.usage(`${agent} ${asText(record.uuid) ?? ''}`, agent, model ?? 'unknown', usage)
  for (const value of parts) {
    const part = asObject(value)
    const text = asText(part?.text)
    const call = asObject(part?.functionCall)
    if (text !== undefined && part?.thought === true) write(state, { type: 'reasoning', text })
    else if (text !== undefined) write(state, { type: 'assistant', text, ...by })
    else if (call !== undefined) {
      const id = asText(call.id) ?? ''
      const name = asText(call.name) ?? ''
      const callId = state.newCallId(call.id, `call-${state.calls.size + 1}`)
      state.calls.set(id, callId)
      const input = call.args ?? null
      write(state, { type: 'tool_call', callId, name, kind: toolKindOf(name), input, ...by })
    } else keepUnknown(state, value, ['text', 'thoughtSignature'])
  }
}

/** Reads the results of tool calls. */
export function readResults(state: QwenState, record: JsonObject, parts: readonly unknown[]): void {
  const reported = asObject(record.toolCallResult)
  for (const value of parts) {
    const part = asObject(value)
    const response = asObject(part?.functionResponse)
    if (part === undefined || response === undefined) {
      keepUnknown(state, value, ['inlineData'])
      continue
    }
    const id = asText(response.id) ?? asText(reported?.callId) ?? ''
    const callId = state.calls.get(id)
    if (callId === undefined) state.out.note('result-without-call', 'a tool result without a call before it')
    write(state, { type: 'tool_result', callId: callId ?? id, ...qwenOutcome(part, reported) })
  }
}

function keepUnknown(state: QwenState, value: unknown, fields: readonly string[]): void {
  const part = asObject(value)
  if (part === undefined || !fields.some((field) => field in part))
    write(state, { type: 'other', name: 'message part', raw: value })
}

/** Tokens of a response: `promptTokenCount` includes the cache, the total shows whether the output has the thoughts. */
function usageOf(usage: JsonObject | undefined): TokenUsage | undefined {
  const input = asCount(usage?.promptTokenCount)
  const output = asCount(usage?.candidatesTokenCount)
  const thoughts = asCount(usage?.thoughtsTokenCount)
  if (input === undefined && output === undefined) return undefined
  const isApart = asCount(usage?.totalTokenCount) === (input ?? 0) + (output ?? 0) + (thoughts ?? 0)
  return known<TokenUsage>({
    inputTokens: input,
    outputTokens: output === undefined ? undefined : output + (isApart ? (thoughts ?? 0) : 0),
    cacheReadTokens: asCount(usage?.cachedContentTokenCount),
    reasoningTokens: thoughts,
  })
}
