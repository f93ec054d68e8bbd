import * as json from '../../session/json.ts'
import { timeOfMillis } from '../shared/values.ts'
import { type ClineOutput, type ClineState, writeResult, writeWords } from './calls.ts'
import { readResponseBlocks, readUserBlocks } from './history.ts'
import { blocksOf, textOf } from './shapes.ts'

const parts = /^(?:origin|taskType|version|updated_at|agent|sessionId|system_prompt|messages|metadata)$/

/** In the list that describes the surroundings: `4. Working Directory: /srv/lamp`. */
const workingDirectory = /^(?:\d\.|-)? *Working Directory: *((?:\/|[A-Za-z]:\\)[^\n]{1,1000}?) *$/m

/** Reads `<session>.messages.json`, or its compacted copy, without messages `seen` in another file. */
export function readSdkSession(
  state: ClineState,
  document: json.Fields,
  seen: Set<string>,
  file: number,
): void {
  const { out } = state
  const { mode, subagent, version } = json.fields(document.origin)
  const messages = json.list(document.messages)
  if (file === 0) {
    state.byAgent = mode === 'subagent'
    out.meta({ id: json.text(document.sessionId), agentVersion: json.text(version) })
  } else if (mode === 'subagent') {
    // Only the words of its task say which call started it.
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
  if (messages.length === 0) out.note('no-records', 'the document holds no messages')
}

export function readDescription({ out }: ClineState, { cwd, metadata }: json.Fields): void {
  const branch = json.text(metadata, 'git', 'branch') ?? json.text(metadata, 'git.branch')
  out.meta({ cwd: json.text(cwd), branch, title: json.text(metadata, 'title') })
  out.absorb('session metadata')
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
    state.write({ type: 'compaction', text, tokensBefore: json.count(metadata, 'tokensBefore') })
  } else if (role === 'user') readUserBlocks(state, blocksOf(content), readToolResult)
  else {
    state.model = json.text(modelInfo, 'id') ?? json.text(modelInfo, 'modelId') ?? state.model
    state.waiting = []
    state.usage(`${state.agent} ${id ?? `message ${index}`}`, json.fields(metrics))
    readResponseBlocks(state, blocksOf(content), (text) => writeWords(state, text))
  }
  out.absorb('empty message')
}

/** `{query, result, success}`, a list of them, or either as JSON in a string; otherwise text. */
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
