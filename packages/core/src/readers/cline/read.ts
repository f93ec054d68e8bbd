import * as json from '../../session/json.ts'
import type { LogRecord, SessionWriter } from '../reader/reader.ts'
import { timeOfMillis } from '../shared/values.ts'
import { type ClineState, createClineState } from './calls.ts'
import { countMessage, readHistoryMessage } from './history.ts'
import { readDescription, readSdkSession } from './sdk.ts'
import { documentKind, textOf } from './shapes.ts'
import { countRequest, endCommand, openEntry, readUiEntry, readUiExtra, usageKinds } from './ui.ts'

type TaskPart = { readonly items: readonly unknown[]; readonly file: number }

export async function readCline(records: AsyncIterable<LogRecord>, out: SessionWriter): Promise<void> {
  const state = createClineState(out)
  const seen = new Set<string>()
  const parts: { history?: TaskPart; ui?: TaskPart } = {}
  let done = false
  const finish = (): void => {
    if (!done) readTask(state, parts.history, parts.ui)
    done = true
    state.at = undefined
  }
  for await (const { value, file } of records) {
    const kind = documentKind(value)
    const part: TaskPart = { items: json.list(value), file }
    if (kind === 'sdk') readSdkSession(state, json.fields(value), seen, file)
    else if (kind === 'description') readDescription(state, json.fields(value))
    else if (kind === 'metadata') out.absorb('files and models of the task')
    else if (kind !== undefined && parts[kind] === undefined) parts[kind] = part
    else {
      state.other(value, 'document')
      if (part.items.length === 0) out.note('no-records', 'the document holds no messages')
    }
    if (kind === 'ui' || kind === 'history') out.absorb('read with the last file of the task')
    if (file === out.files.length - 1) finish()
  }
  finish()
}

function readTask(state: ClineState, history: TaskPart | undefined, ui: TaskPart | undefined): void {
  const atUi = { file: ui?.file ?? 0, line: 1 }
  state.at = atUi
  if (history === undefined) {
    for (const entry of ui?.items ?? []) readUiEntry(state, entry)
    endCommand(state)
    return
  }
  const extras = extrasOf(state, ui?.items ?? [], conversationText(history.items))
  const times = timesOf(ui?.items ?? [])
  let next = 0
  const readExtras = (until: number): void => {
    state.at = atUi
    for (let extra = extras[next]; extra !== undefined && extra.time <= until; extra = extras[++next]) {
      state.time = timeOfMillis(extra.time)
      if (!readUiExtra(state, extra.entry, extra.kind)) state.other(extra.entry, extra.kind)
    }
  }
  for (const [index, message] of history.items.entries()) {
    const reported = json.at(message, 'ts')
    const time = typeof reported === 'number' ? reported : times.get(index)
    if (time !== undefined) readExtras(time)
    state.at = { file: history.file, line: 1 }
    readHistoryMessage(state, message, timeOfMillis(time))
    if (state.requests === 0) countMessage(state, message, index)
  }
  readExtras(Number.POSITIVE_INFINITY)
}

type Extra = { readonly entry: json.Fields; readonly kind: string; readonly time: number }

const repeated =
  /^(?:tool|command|command_output|followup|plan_mode_respond|plan_mode_response|use_mcp_server|mcp_server_response|browser_action|browser_action_launch|browser_action_result|reasoning|task_progress|new_task|use_subagents|subagent|codebase_search_result|user_feedback_diff)$/

/** Entries that the conversation lacks. Also counts usage, because the last entry about a request wins. */
function extrasOf(state: ClineState, entries: readonly unknown[], conversation: string): Extra[] {
  const extras: Extra[] = []
  for (const value of entries)
    openEntry(state, value, (entry, kind, text) => {
      if (usageKinds.test(kind)) countRequest(state, json.fields(json.parse(text)))
      else if (!repeated.test(kind) && !isInConversation(conversation, text))
        extras.push({ entry, kind, time: typeof entry.ts === 'number' ? entry.ts : 0 })
    })
  return extras
}

function isInConversation(conversation: string, text: string): boolean {
  const start = squeeze(text).slice(0, 300)
  return start === '' || conversation.includes(start)
}

function squeeze(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

function conversationText(messages: readonly unknown[]): string {
  const texts = messages.map((message) => {
    const content = json.at(message, 'content')
    const inputs = json.list(content).flatMap((block) => Object.values(json.fields(block, 'input')))
    const results = json.list(content).map((block) => textOf(json.at(block, 'content')))
    const strings = [...inputs, ...results].filter((value) => typeof value === 'string')
    return squeeze([textOf(content), ...strings].join(' '))
  })
  return texts.join('\n')
}

/** Times of the conversation's messages: that of the first entry shown while the previous message was the last one. */
function timesOf(entries: readonly unknown[]): Map<number, number> {
  const times = new Map<number, number>()
  for (const value of entries) {
    const { conversationHistoryIndex: index, ts } = json.fields(value)
    if (typeof index === 'number' && typeof ts === 'number' && !times.has(index + 1)) times.set(index + 1, ts)
  }
  return times
}
