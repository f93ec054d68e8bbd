import { asObject, asText, type JsonObject } from '../../session/json-values.ts'
import { timeOfMillis } from '../shared/epoch-time.ts'
import { textOf, uiKind } from './content.ts'
import { countMessage, readHistoryMessage } from './history.ts'
import { type ClineState, write } from './state.ts'
import { countRequest, endCommand, readUiEntry, readUiExtra, type UiReading, usageKinds } from './ui.ts'

/** A document of a task folder, and its position. */
export interface TaskPart {
  readonly items: readonly unknown[]
  readonly file: number
}

/** Reads a task from its conversation, from what the interface showed, or from both. */
export function readTask(state: ClineState, history: TaskPart | undefined, ui: TaskPart | undefined): void {
  const reading: UiReading = { state, command: undefined, requests: 0 }
  if (history === undefined) {
    state.place = ui === undefined ? undefined : { file: ui.file, line: 1 }
    for (const entry of ui?.items ?? []) readUiEntry(reading, entry)
    endCommand(reading)
    return
  }
  const extras = ui === undefined ? [] : extrasOf(reading, ui, conversationText(history.items))
  const times = ui === undefined ? new Map<number, number>() : timesOf(ui.items)
  let next = 0
  for (const [index, message] of history.items.entries()) {
    const reported = asObject(message)?.ts
    const time = typeof reported === 'number' ? reported : times.get(index)
    for (; next < extras.length && time !== undefined && (extras[next]?.time ?? 0) <= time; next++)
      readExtra(reading, extras[next], ui)
    state.place = { file: history.file, line: 1 }
    readHistoryMessage(state, message, timeOfMillis(time))
    if (reading.requests === 0) countMessage(state, message, index)
  }
  for (; next < extras.length; next++) readExtra(reading, extras[next], ui)
}

interface Extra {
  readonly entry: JsonObject
  readonly kind: string
  readonly time: number
}

/** Kinds that the conversation itself reports. */
const repeated = new Set(
  'tool command command_output followup plan_mode_respond plan_mode_response use_mcp_server mcp_server_response browser_action browser_action_launch browser_action_result reasoning task_progress new_task use_subagents subagent codebase_search_result user_feedback_diff'.split(
    ' ',
  ),
)

/** Entries that the conversation lacks. Also counts usage, because the last entry about a request wins. */
function extrasOf(reading: UiReading, ui: TaskPart, conversation: string): Extra[] {
  const { state } = reading
  const extras: Extra[] = []
  state.place = { file: ui.file, line: 1 }
  for (const value of ui.items) {
    const entry = asObject(value)
    const kind = uiKind(entry)
    if (entry === undefined || kind === undefined) {
      write(state, { type: 'other', name: 'entry', raw: value })
      continue
    }
    state.time = timeOfMillis(entry.ts)
    state.model = asText(asObject(entry.modelInfo)?.modelId) ?? state.model
    const text = asText(entry.text) ?? ''
    if (usageKinds.has(kind)) countRequest(reading, text)
    else if (!repeated.has(kind) && !isInConversation(conversation, text))
      extras.push({ entry, kind, time: typeof entry.ts === 'number' ? entry.ts : 0 })
  }
  return extras
}

/** Whether the conversation holds a text, or at least its beginning. */
function isInConversation(conversation: string, text: string): boolean {
  const start = squeeze(text).slice(0, 300)
  return start === '' || conversation.includes(start)
}

function squeeze(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

/** All text of the conversation, to check whether it holds something. */
function conversationText(messages: readonly unknown[]): string {
  return messages
    .map((message) => {
      const content = asObject(message)?.content
      const blocks = Array.isArray(content) ? content : []
      const inputs = blocks.map((block) => Object.values(asObject(asObject(block)?.input) ?? {}))
      const results = blocks.map((block) => textOf(asObject(block)?.content))
      const strings = [...inputs.flat(), ...results].filter((value) => typeof value === 'string')
      return squeeze([textOf(content), ...strings].join(' '))
    })
    .join('\n')
}

function readExtra(reading: UiReading, extra: Extra | undefined, ui: TaskPart | undefined): void {
  if (extra === undefined || ui === undefined) return
  const { state } = reading
  state.place = { file: ui.file, line: 1 }
  state.time = timeOfMillis(extra.time)
  if (!readUiExtra(reading, extra.entry, extra.kind))
    write(state, { type: 'other', name: extra.kind, raw: extra.entry })
}

/** Times of the conversation's messages: that of the first entry shown while the previous message was the last one. */
function timesOf(entries: readonly unknown[]): Map<number, number> {
  const times = new Map<number, number>()
  for (const value of entries) {
    const entry = asObject(value)
    const index = entry?.conversationHistoryIndex
    const time = entry?.ts
    if (typeof index === 'number' && typeof time === 'number' && !times.has(index + 1))
      times.set(index + 1, time)
  }
  return times
}
