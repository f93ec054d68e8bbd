import * as json from '../../session/json.ts'
import type { LogRecord, SessionWriter } from '../reader/reader.ts'
import { timeOfMillis } from '../shared/values.ts'
import { type ClineOutput, type ClineState, createClineState, writeResult, writeWords } from './calls.ts'
import { countMessage, readHistoryMessage, readResponseBlocks, readUserBlocks } from './history.ts'
import { blocksOf, documentKind, textOf } from './shapes.ts'
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
    else if (kind === 'description') {
      const { cwd, metadata } = json.fields(value)
      const branch = json.text(metadata, 'git', 'branch') ?? json.text(metadata, 'git.branch')
      out.meta({ cwd: json.text(cwd), branch, title: json.text(metadata, 'title') })
      out.absorb('session metadata')
    } else if (kind === 'metadata') out.absorb('files and models of the task')
    else if (kind !== undefined && parts[kind] === undefined) parts[kind] = part
    else state.other(value, 'document')
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
      if (!readUiExtra(state, extra.kind, extra.entry)) state.other(extra.entry, extra.kind)
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

/** Returns entries that the conversation lacks, and counts usage, as the last entry about a request is the valid one. */
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

const parts = /^(?:origin|taskType|version|updated_at|agent|sessionId|system_prompt|messages|metadata)$/

/** Matches `4. Working Directory: /srv/lamp` in the description of the environment. */
const workingDirectory = /^(?:\d\.|-)? *Working Directory: *((?:\/|[A-Za-z]:\\)[^\n]{1,1000}?) *$/m

/** Reads `<session>.messages.json`, or its compacted copy, without messages `seen` in another file. */
function readSdkSession(state: ClineState, document: json.Fields, seen: Set<string>, file: number): void {
  const { out } = state
  const { mode, subagent, version } = json.fields(document.origin)
  const messages = json.list(document.messages)
  if (file === 0) {
    state.byAgent = mode === 'subagent'
    out.meta({ id: json.text(document.sessionId), agentVersion: json.text(version) })
  } else if (mode === 'subagent') {
    // Only the text of its task identifies the call that started it.
    const child = json.text(subagent) ?? `agent-${file}`
    const task = textOf(json.at(messages[0], 'content')).trim()
    const callId = [...state.tasks].find(([, given]) => given === task)?.[0]
    state.tasks.delete(callId ?? '')
    state.begin(child, { callId })
    state.agent = child
    state.waiting = []
  }
  const prompt = json.text(document.system_prompt) ?? ''
  out.meta({ cwd: workingDirectory.exec(prompt)?.[1] })
  state.contextOnce('system', 'system prompt', prompt.trim())
  for (const [index, value] of messages.entries()) readMessage(state, value, index, seen)
  state.leave()
  state.time = undefined
  for (const [name, raw] of Object.entries(document)) if (!parts.test(name)) state.other(raw, name)
}

function readMessage(state: ClineState, value: unknown, index: number, seen: Set<string>): void {
  const { out } = state
  const { content, id: named, metadata, metrics, modelInfo, role, ts } = json.fields(value)
  const id = json.text(named)
  state.time = timeOfMillis(ts)
  if (role !== 'user' && role !== 'assistant') {
    state.other(value, json.text(role) ?? 'message')
    return
  }
  if (id !== undefined && seen.has(id)) {
    out.absorb('repeated message')
    return
  }
  if (id !== undefined) seen.add(id)
  if (json.at(metadata, 'kind') === 'compaction_summary') {
    const text = json.text(metadata, 'summary') ?? textOf(content)
    state.compact(text, { tokensBefore: json.at(metadata, 'tokensBefore') })
  } else if (role === 'user') readUserBlocks(state, blocksOf(content), readToolResult)
  else {
    state.model = json.text(modelInfo, 'id') ?? json.text(modelInfo, 'modelId') ?? state.model
    state.waiting = []
    state.usage(`${state.agent} ${id ?? `message ${index}`}`, json.fields(metrics))
    readResponseBlocks(state, blocksOf(content), (text) => writeWords(state, text))
  }
  out.absorb('empty message')
}

/** Reads `{query, result, success}`, a list of them, or either as JSON in a string; otherwise text. */
function readToolResult(state: ClineState, { content, is_error, tool_use_id }: json.Fields): void {
  const parsed = typeof content === 'string' && /^\s*[[{]/.test(content) ? json.parse(content) : content
  const items = Array.isArray(parsed) && parsed.length > 0 ? parsed : [Array.isArray(parsed) ? '' : parsed]
  const outputs = items.map((item): ClineOutput => {
    const { error, result, success, text, type } = json.fields(item)
    const failed = is_error === true
    if (type === 'image') return { text: '', images: 1 }
    if (json.text(text) !== undefined && type === 'text') return { text: String(text), failed }
    if (result === undefined && error === undefined) return { text: plainText(item, content), failed }
    const texts = [result, error].filter((part) => part !== undefined && part !== null && part !== '')
    return {
      text: texts.map((part) => plainText(part, part)).join('\n'),
      failed: failed || success === false || json.text(error) !== undefined,
      succeeded: success === true,
    }
  })
  writeResult(state, { id: json.text(tool_use_id) ?? '' }, outputs)
}

function plainText(value: unknown, original: unknown): string {
  if (typeof value === 'string') return value
  if (value === null || value === undefined) return typeof original === 'string' ? original : ''
  return typeof original === 'string' && !Array.isArray(value) ? original : JSON.stringify(value)
}
