import type { EventDraft } from '../../session/event.ts'
import { asCount, asList, asObject, asText, type JsonObject, parseJson } from '../../session/json-values.ts'
import { known } from '../../session/known.ts'
import { timeOfMillis } from '../shared/epoch-time.ts'
import { type ClineOutput, parsedInput, writeCall, writeResult } from './calls.ts'
import { textOf } from './content.ts'
import { type ClineState, write, writeContext, writeUser, writeWords } from './state.ts'
import { splitUserText } from './user-text.ts'

const parts = new Set([
  'origin',
  'taskType',
  'version',
  'updated_at',
  'agent',
  'sessionId',
  'system_prompt',
  'messages',
  'metadata',
])

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
  if (file === 0) {
    state.byAgent = isChild
    out.meta({ id: asText(document.sessionId), agentVersion: asText(origin?.version) })
  } else if (isChild) beginChild(state, asText(origin?.subagent) ?? `agent-${file}`, document)
  const prompt = asText(document.system_prompt) ?? ''
  out.meta({ cwd: workingDirectory.exec(prompt)?.[1] })
  if (!writeContext(state, 'system', 'system prompt', prompt)) out.absorb('repeated context')
  for (const [index, value] of asList(document.messages).entries()) readMessage(state, value, index, seen)
  state.time = undefined
  if (state.agent !== 'main') {
    const child = state.agent
    state.agent = 'main'
    write(state, { type: 'subagent_end', child })
  }
  for (const [name, raw] of Object.entries(document))
    if (!parts.has(name)) write(state, { type: 'other', name, raw })
  if (asList(document.messages).length === 0) out.note('no-records', 'the document holds no messages')
}

/** In the list that describes the surroundings: `4. Working Directory: /srv/lamp`. */
const workingDirectory = /^(?:\d\.|-)? *Working Directory: *((?:\/|[A-Za-z]:\\)[^\n]{1,1000}?) *$/m

/** Begins the file of a subagent. Only the words of its task say which call started it. */
function beginChild(state: ClineState, child: string, document: JsonObject): void {
  const task = textOf(asObject(asList(document.messages)[0])?.content).trim()
  const callId = [...state.tasks].find(([, given]) => given === task)?.[0]
  if (callId !== undefined) state.tasks.delete(callId)
  state.out.agent({ id: child, parent: 'main', callId })
  write(state, known<EventDraft>({ type: 'subagent_start', child, callId }))
  state.agent = child
  state.open = []
}

/** Reads `<session>.json`, the description of a session. */
export function readDescription({ out }: ClineState, description: JsonObject): void {
  const metadata = asObject(description.metadata)
  const branch = asText(asObject(metadata?.git)?.branch) ?? asText(metadata?.['git.branch'])
  const title = asText(metadata?.title)
  out.meta({ cwd: asText(description.cwd), branch, title })
  out.absorb('session metadata')
}

function readMessage(state: ClineState, value: unknown, index: number, seen: Set<string>): void {
  const { out } = state
  const message = asObject(value)
  state.time = timeOfMillis(message?.ts)
  const role = message?.role
  if (message === undefined || (role !== 'user' && role !== 'assistant')) {
    write(state, { type: 'other', name: asText(role) ?? 'message', raw: value })
    return
  }
  const id = asText(message.id)
  if (id !== undefined && seen.has(id)) {
    out.absorb('repeated message')
    return
  }
  if (id !== undefined) seen.add(id)
  const metadata = asObject(message.metadata)
  if (metadata?.kind === 'compaction_summary') {
    const tokensBefore = asCount(metadata.tokensBefore)
    const text = asText(metadata.summary) ?? textOf(message.content)
    write(state, { type: 'compaction', text, ...(tokensBefore !== undefined && { tokensBefore }) })
    return
  }
  if (role === 'assistant') {
    const model = asObject(message.modelInfo)
    state.model = asText(model?.id) ?? asText(model?.modelId) ?? state.model
    state.open = []
    countMessage(state, message, id ?? `message ${index}`)
  }
  const blocks =
    typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : asList(message.content)
  if (role === 'assistant') for (const block of blocks) readResponseBlock(state, block)
  else readUserBlocks(state, blocks)
  if (blocks.length === 0) out.absorb('empty message')
}

function countMessage(state: ClineState, message: JsonObject, key: string): void {
  const metrics = asObject(message.metrics)
  if (metrics === undefined) return
  const usage: Record<string, number> = {}
  for (const field of ['inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheWriteTokens']) {
    const count = asCount(metrics[field])
    if (count !== undefined) usage[field] = count
  }
  state.out.usage(`${state.agent} ${key}`, state.agent, state.model ?? 'unknown', usage)
}

function readResponseBlock(state: ClineState, value: unknown): void {
  const block = asObject(value)
  const type = asText(block?.type)
  if (type === 'text' && typeof block?.text === 'string') writeWords(state, block.text)
  else if (type === 'thinking' || type === 'reasoning') {
    const text = asText(block?.thinking) ?? asText(block?.text) ?? ''
    if (text.trim() === '') state.out.absorb('encrypted reasoning')
    else write(state, { type: 'reasoning', text })
  } else if (type === 'redacted_thinking') state.out.absorb('encrypted reasoning')
  else if (type === 'tool_use' && asText(block?.name) !== undefined)
    writeCall(state, asText(block?.id), asText(block?.name) ?? 'tool', parsedInput(block?.input))
  else write(state, { type: 'other', name: type ?? 'block', raw: value })
}

/** The user's text with its images, attached files, and results. */
function readUserBlocks(state: ClineState, blocks: readonly unknown[]): void {
  const images = blocks.filter((block) => /image/.test(asText(asObject(block)?.type) ?? '')).length
  let shown = 0
  for (const value of blocks) {
    const block = asObject(value)
    const type = asText(block?.type)
    if (type === 'text' && typeof block?.text === 'string') {
      for (const piece of splitUserText(block.text)) {
        if (piece.kind === 'user' || piece.kind === 'plain') {
          writeUser(state, piece.text, images - shown)
          shown = images
        } else if (
          !writeContext(
            state,
            piece.kind === 'attachment' ? 'attachment' : 'harness',
            nameOf(piece),
            piece.text,
          )
        )
          state.out.absorb('repeated context')
      }
    } else if (type === 'file') {
      const text = asText(block?.content) ?? ''
      writeContext(state, 'attachment', asText(block?.path) ?? 'file', text)
    } else if (type === 'tool_result')
      writeResult(state, { id: asText(block?.tool_use_id) ?? '' }, outputsOf(block?.content, block?.is_error))
    else if (!/image/.test(type ?? '')) write(state, { type: 'other', name: type ?? 'block', raw: value })
  }
  if (shown < images) writeUser(state, '', images - shown)
  state.out.absorb('repeated context')
}

function nameOf(piece: { readonly kind: string; readonly name?: string; readonly tool?: string }): string {
  return piece.name ?? piece.tool ?? piece.kind
}

/** `{query, result, success}`, a list of them, or either as JSON in a string; otherwise text. */
function outputsOf(content: unknown, isError: unknown): ClineOutput[] {
  const parsed = typeof content === 'string' && /^\s*[[{]/.test(content) ? parseJson(content) : content
  const items = Array.isArray(parsed) ? parsed : [parsed]
  const outputs = items.map((item): ClineOutput => {
    const object = asObject(item)
    if (object?.type === 'image') return { text: '', images: 1 }
    const text = asText(object?.text)
    if (text !== undefined && object?.type === 'text') return { text, failed: isError === true }
    if (object === undefined || (object.result === undefined && object.error === undefined))
      return { text: plainText(item, content), failed: isError === true }
    const texts = [object.result, object.error].filter(
      (part) => part !== undefined && part !== null && part !== '',
    )
    const failed = isError === true || object.success === false || asText(object.error) !== undefined
    return {
      text: texts.map((part) => plainText(part, part)).join('\n'),
      failed,
      succeeded: object.success === true,
    }
  })
  return outputs.length === 0 ? [{ text: '', failed: isError === true }] : outputs
}

function plainText(value: unknown, original: unknown): string {
  if (typeof value === 'string') return value
  if (value === null || value === undefined) return typeof original === 'string' ? original : ''
  return typeof original === 'string' && !Array.isArray(value) ? original : JSON.stringify(value)
}
