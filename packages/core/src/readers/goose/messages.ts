import { asList, asObject, asText, type JsonObject } from '../../session/json-values.ts'
import { toolKindOf } from '../../tools/tool-kind.ts'
import { timeOfSeconds } from '../shared/epoch-time.ts'
import { type GooseState, write } from './state.ts'
import { gooseOutcome } from './tool-outcome.ts'

const notices = new Set([
  'systemNotification',
  'conversationCompacted',
  'contextLengthExceeded',
  'summarizationRequested',
])

/** Reads a message `{role, created, content, metadata}`. */
export function readMessage(state: GooseState, message: JsonObject): void {
  const { out } = state
  const metadata = asObject(message.metadata)
  const toAgent = metadata?.agentVisible !== false
  const toPerson = metadata?.userVisible !== false
  state.time = timeOfSeconds(message.created)
  const by: Speaker = { isUser: message.role === 'user', toAgent, toPerson }
  const { content } = message
  const contents = typeof content === 'string' ? [{ type: 'text', text: content }] : content
  const spoken = asList(contents).some((value) => !notices.has(asText(asObject(value)?.type) ?? ''))
  if (!toAgent && spoken) state.hidden = true
  const texts: string[] = []
  let images = 0
  for (const value of asList(contents)) {
    const part = asObject(value)
    const type = kindOf(part)
    if (type === 'image') images++
    else if (by.isUser && type === 'text' && typeof part?.text === 'string') texts.push(part.text)
    else readContent(state, value, part, type, by)
  }
  if (texts.length > 0 || images > 0) writeWords(state, texts.join('\n'), images, by)
  if (contents !== undefined && !Array.isArray(contents)) {
    write(state, { type: 'other', name: 'content', raw: contents })
  }
  out.absorb('empty message')
}

interface Speaker {
  readonly isUser: boolean
  readonly toAgent: boolean
  readonly toPerson: boolean
}

/** Contents of 2024 have no `type`. */
function kindOf(part: JsonObject | undefined): string | undefined {
  const type = asText(part?.type)
  if (part === undefined || type !== undefined) return type
  if ('tool_result' in part) return 'toolResponse'
  if ('tool_name' in part) return 'toolRequest'
  return typeof part.text === 'string' ? 'text' : undefined
}

function writeWords(state: GooseState, text: string, images: number, { isUser, toPerson }: Speaker): void {
  const pictures = images > 0 ? { images } : {}
  if (text.trim() === '' && images === 0) return
  if (!isUser) write(state, { type: 'context', origin: 'attachment', name: 'image', text, ...pictures })
  else if (!toPerson && state.hidden) {
    // The summary takes the place of the hidden messages.
    state.hidden = false
    write(state, { type: 'compaction', text })
  } else if (!toPerson || /^\s*<(?:info-msg|system-reminder)>/.test(text)) {
    write(state, { type: 'context', origin: 'harness', name: 'hidden prompt', text, ...pictures })
  } else if (state.byAgent) {
    write(state, { type: 'context', origin: 'agent', name: 'task', text, ...pictures })
  } else write(state, { type: 'user', origin: 'typed', text, ...pictures })
}

function readContent(
  state: GooseState,
  value: unknown,
  part: JsonObject | undefined,
  type: string | undefined,
  by: Speaker,
): void {
  const { out } = state
  if (part === undefined || type === undefined) {
    write(state, { type: 'other', name: 'content', raw: value })
    return
  }
  if (notices.has(type)) {
    readNotice(state, part, type)
    return
  }
  switch (type) {
    case 'text':
      writeAnswer(state, value, part, by)
      return
    case 'thinking':
    case 'reasoning':
      writeThought(state, part)
      return
    case 'redactedThinking':
      out.absorb('encrypted reasoning')
      return
    case 'toolRequest':
    case 'frontendToolRequest':
      readRequest(state, part)
      return
    case 'toolResponse':
      readResponse(state, part)
      return
    case 'toolConfirmationRequest':
      out.absorb('request for a permission')
      return
    default:
      write(state, { type: 'other', name: type, raw: value })
  }
}

function writeAnswer(state: GooseState, value: unknown, { text }: JsonObject, { toPerson }: Speaker): void {
  const model = state.model === undefined ? {} : { model: state.model }
  if (typeof text !== 'string') write(state, { type: 'other', name: 'text', raw: value })
  else if (text.trim() === '') state.out.absorb('empty text')
  // Text that the user never saw is the harness's, such as that after a summary.
  else if (!toPerson) write(state, { type: 'context', origin: 'harness', name: 'hidden answer', text })
  else write(state, { type: 'assistant', text, ...model })
}

function writeThought(state: GooseState, part: JsonObject): void {
  const text = asText(part.thinking) ?? asText(part.text)
  if (text === undefined) state.out.absorb('encrypted reasoning')
  else write(state, { type: 'reasoning', text })
}

function readNotice(state: GooseState, part: JsonObject, type: string): void {
  const name = asText(part.notificationType) ?? type
  const text = asText(part.msg) ?? ''
  if (text === '' || name === 'thinkingMessage') state.out.absorb('progress')
  else write(state, { type: 'context', origin: 'harness', name, text })
}

/** `toolCall` is `{status, value: {name, arguments}}`, or an error if the model gave no valid call. */
function readRequest(state: GooseState, part: JsonObject): void {
  state.calls++
  const call = asObject(part.toolCall)
  const value = asObject(call?.value) ?? (call?.name === undefined ? undefined : call)
  const name = asText(value?.name) ?? asText(part.tool_name) ?? 'unknown'
  const input = value === undefined ? (part.arguments ?? null) : (value.arguments ?? null)
  const callId = state.newCallId(part.id, `call-${state.calls}`)
  state.open.set(asText(part.id) ?? '', callId)
  const model = state.model === undefined ? {} : { model: state.model }
  write(state, { type: 'tool_call', callId, name, kind: toolKindOf(name), input, ...model })
  if (call?.status !== 'error') return
  const text = asText(call.error) ?? JSON.stringify(call.error ?? null)
  write(state, { type: 'tool_result', callId, status: 'error', text })
  state.open.delete(asText(part.id) ?? '')
}

function readResponse(state: GooseState, part: JsonObject): void {
  const id = asText(part.id) ?? ''
  const callId = state.open.get(id)
  if (callId === undefined) state.out.note('result-without-call', 'a tool result answers no call of this log')
  state.open.delete(id)
  const outcome = gooseOutcome('toolResult' in part ? part.toolResult : part.tool_result)
  write(state, { type: 'tool_result', callId: callId ?? id, ...outcome })
}
