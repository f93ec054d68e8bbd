import { asCount, asList, asObject, asText, type JsonObject, parseJson } from '../../session/json-values.ts'
import { timeOfMillis } from '../shared/time.ts'
import {
  type ClineOutput,
  type ClineState,
  writeContext,
  writeResult,
  writeUser,
  writeWords,
} from './calls.ts'
import { blocksOf, textOf } from './documents.ts'
import { readResponseBlocks } from './history.ts'
import { splitUserText } from './texts.ts'

const parts = /^(?:origin|taskType|version|updated_at|agent|sessionId|system_prompt|messages|metadata)$/

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
  const origin = asObject(document.origin)
  const isChild = origin?.mode === 'subagent'
  const messages = asList(document.messages)
  if (file === 0) {
    state.byAgent = isChild
    out.meta({ id: asText(document.sessionId), agentVersion: asText(origin?.version) })
  } else if (isChild) beginChild(state, asText(origin?.subagent) ?? `agent-${file}`, messages[0])
  const prompt = asText(document.system_prompt) ?? ''
  out.meta({ cwd: workingDirectory.exec(prompt)?.[1] })
  writeContext(state, 'system', 'system prompt', prompt)
  for (const [index, value] of messages.entries()) readMessage(state, value, index, seen)
  state.leave()
  state.time = undefined
  for (const [name, raw] of Object.entries(document)) if (!parts.test(name)) state.other(raw, name)
  if (messages.length === 0) out.note('no-records', 'the document holds no messages')
}

/** In the list that describes the surroundings: `4. Working Directory: /srv/lamp`. */
const workingDirectory = /^(?:\d\.|-)? *Working Directory: *((?:\/|[A-Za-z]:\\)[^\n]{1,1000}?) *$/m

/** Begins the file of a subagent. Only the words of its task say which call started it. */
function beginChild(state: ClineState, child: string, first: unknown): void {
  const task = textOf(asObject(first)?.content).trim()
  const callId = [...state.tasks].find(([, given]) => given === task)?.[0]
  if (callId !== undefined) state.tasks.delete(callId)
  state.begin(child, { callId })
  state.agent = child
  state.waiting = []
}

/** Reads `<session>.json`, the description of a session. */
export function readDescription({ out }: ClineState, { cwd, metadata }: JsonObject): void {
  const { git, 'git.branch': branch, title } = asObject(metadata) ?? {}
  out.meta({
    cwd: asText(cwd),
    branch: asText(asObject(git)?.branch) ?? asText(branch),
    title: asText(title),
  })
  out.absorb('session metadata')
}

function readMessage(state: ClineState, value: unknown, index: number, seen: Set<string>): void {
  const { out } = state
  const { content, id: named, metadata, metrics, modelInfo, role, ts } = asObject(value) ?? {}
  const id = asText(named)
  const { kind, summary, tokensBefore } = asObject(metadata) ?? {}
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
  if (kind === 'compaction_summary') {
    const text = asText(summary) ?? textOf(content)
    state.write({ type: 'compaction', text, tokensBefore: asCount(tokensBefore) })
  } else if (role === 'user') readUserBlocks(state, blocksOf(content))
  else {
    const model = asObject(modelInfo)
    state.model = asText(model?.id) ?? asText(model?.modelId) ?? state.model
    state.waiting = []
    state.usage(`${state.agent} ${id ?? `message ${index}`}`, asObject(metrics) ?? {})
    readResponseBlocks(state, blocksOf(content), (text) => writeWords(state, text))
  }
  out.absorb('empty message')
}

/** The user's text with its images, attached files, and results. */
function readUserBlocks(state: ClineState, blocks: readonly unknown[]): void {
  const isImage = (block: unknown): boolean => /image/.test(asText(asObject(block)?.type) ?? '')
  let images = blocks.filter(isImage).length
  const ask = (text: string): void => {
    writeUser(state, text, images)
    images = 0
  }
  for (const value of blocks) {
    const block = asObject(value) ?? {}
    const type = asText(block.type)
    if (type === 'text' && typeof block.text === 'string') {
      for (const piece of splitUserText(block.text)) {
        const name = 'name' in piece ? piece.name : 'tool' in piece ? piece.tool : piece.kind
        if (piece.kind === 'user' || piece.kind === 'plain') ask(piece.text)
        else writeContext(state, piece.kind === 'attachment' ? 'attachment' : 'harness', name, piece.text)
      }
    } else if (type === 'file')
      writeContext(state, 'attachment', asText(block.path) ?? 'file', asText(block.content) ?? '')
    else if (type === 'tool_result')
      writeResult(state, { id: asText(block.tool_use_id) ?? '' }, outputsOf(block.content, block.is_error))
    else if (!isImage(value)) state.other(value, type ?? 'block')
  }
  if (images > 0) ask('')
}

/** `{query, result, success}`, a list of them, or either as JSON in a string; otherwise text. */
function outputsOf(content: unknown, isError: unknown): ClineOutput[] {
  const parsed = typeof content === 'string' && /^\s*[[{]/.test(content) ? parseJson(content) : content
  const items = Array.isArray(parsed) ? parsed : [parsed]
  const outputs = items.map((item): ClineOutput => {
    const { error, result, success, text, type } = asObject(item) ?? {}
    if (type === 'image') return { text: '', images: 1 }
    if (asText(text) !== undefined && type === 'text') return { text: String(text), failed: isError === true }
    if (result === undefined && error === undefined)
      return { text: plainText(item, content), failed: isError === true }
    const texts = [result, error].filter((part) => part !== undefined && part !== null && part !== '')
    const failed = isError === true || success === false || asText(error) !== undefined
    const shown = texts.map((part) => plainText(part, part)).join('\n')
    return { text: shown, failed, succeeded: success === true }
  })
  return outputs.length === 0 ? [{ text: '', failed: isError === true }] : outputs
}

function plainText(value: unknown, original: unknown): string {
  if (typeof value === 'string') return value
  if (value === null || value === undefined) return typeof original === 'string' ? original : ''
  return typeof original === 'string' && !Array.isArray(value) ? original : JSON.stringify(value)
}
