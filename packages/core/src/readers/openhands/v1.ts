import { asList, asObject, asText, type JsonObject } from '../../session/json-values.ts'
import { byWord } from '../../tools/by-word.ts'
import { type OpenHandsState, readTime, write, writeContext } from './state.ts'
import { readStats } from './usage.ts'
import { readActionEvent, readPlainCall, readRejection, readToolError, readToolResult } from './v1-calls.ts'
import { modelOf, readContent, withoutThought, writeReasoning } from './v1-content.ts'

const passing = byWord({
  'state of the agent': 'PauseEvent InterruptEvent',
  'compaction begins': 'CondensationRequest',
  'stream of a response': 'TokenEvent StreamingDeltaEvent LLMCompletionLogEvent',
})

const kinds = new Map<string, (state: OpenHandsState, event: JsonObject) => boolean>([
  ['SystemPromptEvent', readSystemPrompt],
  ['MessageEvent', readMessage],
  ['ActionEvent', readActionEvent],
  ['ObservationEvent', readToolResult],
  ['AgentErrorEvent', readToolError],
  ['UserRejectObservation', readRejection],
  ['ACPToolCallEvent', readPlainCall],
])

/** Reads one event of V1. Returns `false` if its kind, or its form, is not known. */
export function readV1Event(state: OpenHandsState, event: JsonObject): boolean {
  const { out } = state
  readTime(state, event.timestamp)
  const kind = asText(event.kind) ?? ''
  const reason = passing.get(kind)
  if (reason !== undefined) {
    out.absorb(reason)
    return true
  }
  const read = kinds.get(kind)
  if (read !== undefined) return read(state, event)
  switch (kind) {
    case 'Condensation':
      write(state, { type: 'compaction', text: asText(event.summary) ?? '' })
      return true
    case 'CondensationSummaryEvent':
      if (!writeContext(state, 'harness', 'summary', asText(event.summary))) out.absorb('repeated context')
      return true
    case 'ConversationStateUpdateEvent':
      readUpdate(state, event)
      return true
    case 'ConversationErrorEvent':
    case 'ServerErrorEvent': {
      const text = [event.code, event.detail].map(asText).filter((part) => part !== undefined)
      if (!writeContext(state, 'harness', 'error', text.join(': '))) out.absorb('repeated context')
      return true
    }
    case 'HookExecutionEvent': {
      const texts = [event.stdout, event.stderr, event.error, event.reason, event.additional_context]
      const text = texts.map(asText).filter((part) => part !== undefined)
      const name = asText(event.hook_event_type) ?? 'hook'
      if (!writeContext(state, 'hook', name, text.join('\n'))) out.absorb('hook')
      return true
    }
  }
  return false
}

function readSystemPrompt(state: OpenHandsState, event: JsonObject): boolean {
  const prompt = readContent(event.system_prompt).text
  const dynamic = readContent(event.dynamic_context).text
  if (prompt === '' && dynamic === '') return false
  const written = writeContext(state, 'system', 'system prompt', prompt)
  if (!writeContext(state, 'system', 'context of the session', dynamic) && !written)
    state.out.absorb('repeated context')
  return true
}

/** Reads a message with what skills and hooks added. */
function readMessage(state: OpenHandsState, event: JsonObject): boolean {
  const message = asObject(event.llm_message)
  if (message === undefined) return false
  const { text, images, odd } = readContent(message.content)
  const source = asText(event.source) ?? asText(message.role)
  const shown = images > 0 ? { images } : {}
  writeReasoning(state, message)
  const said = text.trim() !== '' || images > 0
  if (said && (source === 'agent' || message.role === 'assistant'))
    write(state, { type: 'assistant', text: withoutThought(text, message), ...modelOf(state) })
  else if (said && source === 'user' && message.role !== 'system') {
    const { history, words } = resumedParts(text)
    writeContext(state, 'harness', 'history', history)
    if (words !== '' || images > 0) write(state, { type: 'user', origin: 'typed', text: words, ...shown })
  } else if (said && !writeContext(state, 'harness', source ?? 'message', text))
    state.out.absorb('repeated context')
  const skills = asList(event.activated_skills ?? event.activated_microagents)
    .filter((skill) => typeof skill === 'string')
    .join(', ')
  const extended = readContent(event.extended_content).text
  writeContext(state, 'attachment', skills === '' ? 'extended content' : `skill ${skills}`, extended)
  for (const raw of odd) write(state, { type: 'other', name: 'content', raw })
  state.out.absorb('empty message')
  return true
}

/** Parts a message at whose beginning the SDK put the history of a conversation that its agent had lost. */
function resumedParts(text: string): { readonly history: string; readonly words: string } {
  const [history = ''] = resumed.exec(text) ?? []
  return { history, words: history === '' ? text : text.slice(history.length).trim() }
}

const resumed = /^\s*<<RESUMED CONVERSATION>>(?:[\s\S]*\n--- End of prior session ---|[\s\S]*)/

function readUpdate(state: OpenHandsState, event: JsonObject): void {
  if (event.key === 'stats') readStats(state, event.value)
  else if (event.key === 'full_state') readConversationState(state, asObject(event.value) ?? {})
  state.out.absorb(event.key === 'stats' ? 'usage' : 'state of the conversation')
}

/** `base_state.json`: the settings and sums of a conversation. */
export function readConversationState(state: OpenHandsState, value: JsonObject): void {
  const model = asText(asObject(asObject(value.agent)?.llm)?.model)
  state.model ??= model
  state.out.meta({
    id: asText(value.id),
    cwd: asText(asObject(value.workspace)?.working_dir),
    title: asText(value.title),
    ...(model !== undefined && { models: [model] }),
  })
  readStats(state, value.stats)
  state.out.absorb('state of the conversation')
}
