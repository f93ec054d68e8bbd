import {
  asCount,
  asList,
  asText,
  at,
  fieldsOf,
  type JsonObject,
  parseJson,
  textAt,
} from '../../session/json-values.ts'
import { timeOfMillis } from '../shared/time.ts'
import { type ClineOutput, type ClineState, writeResult, writeWords } from './calls.ts'
import { readResponseBlocks, readUserBlocks } from './history.ts'
import { blocksOf, textOf } from './shapes.ts'

const parts = /^(?:origin|taskType|version|updated_at|agent|sessionId|system_prompt|messages|metadata)$/

/** In the list that describes the surroundings: `4. Working Directory: /srv/lamp`. */
const workingDirectory = /^(?:\d\.|-)? *Working Directory: *((?:\/|[A-Za-z]:\\)[^\n]{1,1000}?) *$/m

/**
 * Reads `<session>.messages.json` of the Cline SDK, or its compacted copy, `<session>.compaction.json`. Skips messages
 * that were read from another file of the session.
 */
export function readSdkSession(
  state: ClineState,
  document: JsonObject,
  seen: Set<string>,
  file: number,
): void {
  const { out } = state
  const { mode, subagent, version } = fieldsOf(document.origin)
  const messages = asList(document.messages)
  if (file === 0) {
    state.byAgent = mode === 'subagent'
    out.meta({ id: asText(document.sessionId), agentVersion: asText(version) })
  } else if (mode === 'subagent') {
    // Only the words of its task say which call started it.
    const child = asText(subagent) ?? `agent-${file}`
    const task = textOf(at(messages[0], 'content')).trim()
    const callId = [...state.tasks].find(([, given]) => given === task)?.[0]
    state.tasks.delete(callId ?? '')
    state.begin(child, { callId })
    state.agent = child
    state.waiting = []
  }
  const prompt = asText(document.system_prompt) ?? ''
  out.meta({ cwd: workingDirectory.exec(prompt)?.[1] })
  state.contextOnce('system', 'system prompt', prompt.trim())
  for (const [index, value] of messages.entries()) readMessage(state, value, index, seen)
  state.leave()
  state.time = undefined
  for (const [name, raw] of Object.entries(document)) if (!parts.test(name)) state.other(raw, name)
  if (messages.length === 0) out.note('no-records', 'the document holds no messages')
}

/** Reads `<session>.json`, the description of a session. */
export function readDescription({ out }: ClineState, { cwd, metadata }: JsonObject): void {
  const branch = textAt(metadata, 'git', 'branch') ?? textAt(metadata, 'git.branch')
  out.meta({ cwd: asText(cwd), branch, title: textAt(metadata, 'title') })
  out.absorb('session metadata')
}

function readMessage(state: ClineState, value: unknown, index: number, seen: Set<string>): void {
  const { out } = state
  const { content, id: named, metadata, metrics, modelInfo, role, ts } = fieldsOf(value)
  const id = asText(named)
  state.time = timeOfMillis(ts)
  if (role !== 'user' && role !== 'assistant') {
    state.other(value, asText(role) ?? 'message')
    return
  }
  if (id !== undefined && seen.has(id)) {
    out.absorb('repeated message')
    return
  }
  if (id !== undefined) seen.add(id)
  if (at(metadata, 'kind') === 'compaction_summary') {
    const text = textAt(metadata, 'summary') ?? textOf(content)
    state.write({ type: 'compaction', text, tokensBefore: asCount(at(metadata, 'tokensBefore')) })
  } else if (role === 'user') readUserBlocks(state, blocksOf(content), readToolResult)
  else {
    state.model = textAt(modelInfo, 'id') ?? textAt(modelInfo, 'modelId') ?? state.model
    state.waiting = []
    state.usage(`${state.agent} ${id ?? `message ${index}`}`, fieldsOf(metrics))
    readResponseBlocks(state, blocksOf(content), (text) => writeWords(state, text))
  }
  out.absorb('empty message')
}

/** `{query, result, success}`, a list of them, or either as JSON in a string; otherwise text. */
function readToolResult(state: ClineState, { content, is_error, tool_use_id }: JsonObject): void {
  const parsed = typeof content === 'string' && /^\s*[[{]/.test(content) ? parseJson(content) : content
  const items = Array.isArray(parsed) && parsed.length > 0 ? parsed : [Array.isArray(parsed) ? '' : parsed]
  const outputs = items.map((item): ClineOutput => {
    const { error, result, success, text, type } = fieldsOf(item)
    const failed = is_error === true
    if (type === 'image') return { text: '', images: 1 }
    if (asText(text) !== undefined && type === 'text') return { text: String(text), failed }
    if (result === undefined && error === undefined) return { text: plainText(item, content), failed }
    const texts = [result, error].filter((part) => part !== undefined && part !== null && part !== '')
    return {
      text: texts.map((part) => plainText(part, part)).join('\n'),
      failed: failed || success === false || asText(error) !== undefined,
      succeeded: success === true,
    }
  })
  writeResult(state, { id: asText(tool_use_id) ?? '' }, outputs)
}

function plainText(value: unknown, original: unknown): string {
  if (typeof value === 'string') return value
  if (value === null || value === undefined) return typeof original === 'string' ? original : ''
  return typeof original === 'string' && !Array.isArray(value) ? original : JSON.stringify(value)
}
