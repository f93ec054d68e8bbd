import type { EventDraft } from '../../session/event.ts'
import { asObject, asText, type JsonObject } from '../../session/json-values.ts'
import type { UserPiece } from '../shared/user-piece.ts'
import { agentOfFile } from './files.ts'
import { type Reading, timeOf, writeCompaction } from './reading.ts'
import { claudeUsage, toolKind, toolOutcome } from './tools.ts'
import { cutBlocks, cutFeedback, splitUserText } from './user.ts'

const synthetic = '<synthetic>'

/** Reads a record of the model: one or more content blocks, and usage. */
export function readAssistant(reading: Reading, record: JsonObject, agent: string): void {
  const { out } = reading
  const message = asObject(record.message)
  const blocks = contentBlocks(message?.content)
  if (message === undefined || blocks === undefined) {
    out.event({ type: 'other', agent, name: 'assistant', raw: record, ...timeOf(record) })
    return
  }
  const model = asText(message.model)
  const messageId = asText(message.id)
  const usage = asObject(message.usage)
  const isCopy = isCopied(reading, record)
  if (usage !== undefined && model !== synthetic && !isCopy) {
    const key = `${messageId ?? asText(record.uuid) ?? `line ${reading.place.line}`} ${asText(record.requestId) ?? ''}`
    out.usage(key, agent, model ?? '', claudeUsage(usage))
  }
  for (const block of blocks) {
    if (isRepeated(reading, agent, messageId, block)) out.absorb('repeated block of a response')
    else if (model === synthetic) writeSynthetic(reading, record, agent, block)
    else writeBlock(reading, record, agent, block, model)
  }
  if (blocks.length === 0) out.absorb('empty message')
  if (!isCopy) return
  reading.copies.events += out.copied()
  for (const block of blocks) reading.copies.calls.add(asText(asObject(block)?.id) ?? '')
}

/**
 * Whether another session requested this answer. A fork begins with its parent's records, under its own session id: all
 * before such an answer are copies too.
 */
function isCopied({ place }: Reading, { requestSessionId, sessionId }: JsonObject): boolean {
  const requested = asText(requestSessionId)
  return (
    place.file === 0 && requested !== undefined && asText(sessionId) !== undefined && requested !== sessionId
  )
}

/** Content as a list of blocks; `undefined` if it is neither a list nor a string. */
function contentBlocks(content: unknown): readonly unknown[] | undefined {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return Array.isArray(content) ? content : undefined
}

function isRepeated(reading: Reading, agent: string, messageId: string | undefined, value: unknown): boolean {
  const block = asObject(value)
  const key = asText(block?.id) ?? asText(block?.text) ?? asText(block?.thinking)
  if (messageId === undefined || key === undefined) return false
  return !reading.blocks.add(`${agent}\n${messageId}\n${key}`)
}

function writeSynthetic(reading: Reading, record: JsonObject, agent: string, value: unknown): void {
  const text = asText(asObject(value)?.text)
  const name = record.isApiErrorMessage === true ? 'api_error' : 'synthetic'
  if (text === undefined) reading.out.absorb('empty message')
  else reading.out.event({ type: 'context', agent, origin: 'harness', name, text, ...timeOf(record) })
}

function writeBlock(
  reading: Reading,
  record: JsonObject,
  agent: string,
  value: unknown,
  model?: string,
): void {
  const { out } = reading
  const block = asObject(value)
  const shared = timeOf(record)
  const by = model === undefined ? {} : { model }
  const type = block?.type
  if (type === 'text' && typeof block?.text === 'string') {
    if (block.text.trim() === '') out.absorb('empty text')
    else out.event({ agent, ...shared, ...by, type: 'assistant', text: block.text })
  } else if (type === 'thinking' && typeof block?.thinking === 'string') {
    if (block.thinking.trim() === '') out.absorb('reasoning hidden by the provider')
    else out.event({ agent, ...shared, type: 'reasoning', text: block.thinking })
  } else if (type === 'redacted_thinking') out.absorb('reasoning hidden by the provider')
  else if (block !== undefined && isToolUse(type)) {
    const name = asText(block.name) ?? ''
    const callId = asText(block.id) ?? ''
    reading.tools.set(callId, name)
    const call: EventDraft = {
      agent,
      ...shared,
      ...by,
      type: 'tool_call',
      callId,
      name,
      kind: toolKind(name),
      input: block.input,
    }
    const { turn } = out.event(call)
    reading.agents.called(callId, name, asObject(block.input), agent, turn)
  } else if (block !== undefined && typeof block.tool_use_id === 'string') {
    writeResult(reading, record, agent, block, undefined)
  } else
    out.event({ agent, ...shared, type: 'other', name: `assistant ${asText(type) ?? 'content'}`, raw: value })
}

function isToolUse(type: unknown): boolean {
  return type === 'tool_use' || type === 'server_tool_use' || type === 'mcp_tool_use'
}

/** The author of text under the user's name. */
export interface Speaker {
  readonly agent: string
  /** Whether an agent wrote the text, not a human: the record is on a side chain. */
  readonly byAgent: boolean
}

/** Reads a record under the user's name: typed, injected, results of tools, or the summary of a compaction. */
export function readUser(reading: Reading, record: JsonObject, speaker: Speaker): void {
  const { out } = reading
  const blocks = contentBlocks(asObject(record.message)?.content)
  if (blocks === undefined) {
    out.event({ type: 'other', agent: speaker.agent, name: 'user', raw: record, ...timeOf(record) })
    return
  }
  const images = blocks.filter(isImage).length
  const texts: string[] = []
  for (const value of blocks) {
    const block = asObject(value)
    if (block?.type === 'text' && typeof block.text === 'string') texts.push(block.text)
    else if (block !== undefined && typeof block.tool_use_id === 'string') {
      writeResult(reading, record, speaker.agent, block, record.toolUseResult)
    } else if (!isImage(value)) {
      const name = `user ${asText(block?.type) ?? 'content'}`
      out.event({ type: 'other', agent: speaker.agent, name, raw: value, ...timeOf(record) })
    }
  }
  if (record.isCompactSummary === true) {
    writeCompaction(reading, speaker.agent, { text: texts.join('\n'), record })
    return
  }
  writeTexts(reading, record, speaker, texts, images)
}

function isImage(value: unknown): boolean {
  const type = asObject(value)?.type
  return type === 'image' || type === 'document'
}

/** Writes texts under the user's name, each part as its own type of event. */
export function writeTexts(
  reading: Reading,
  record: JsonObject,
  speaker: Speaker,
  texts: readonly string[],
  images: number,
): void {
  const pieces = joinWords(userPieces(record, texts))
  if (pieces.length === 0 && images > 0) pieces.push(imagesOnly(record))
  if (pieces.length === 0) reading.out.absorb('empty message')
  // Images belong to the adjacent message.
  const words = pieces.findLastIndex((piece) => piece.type === 'user')
  const holder = words === -1 ? pieces.length - 1 : words
  for (const [index, piece] of pieces.entries()) {
    writePiece(reading, record, speaker, piece, index === holder ? images : 0)
  }
}

/** Joins typed text in several blocks into one message. */
function joinWords(pieces: readonly UserPiece[]): UserPiece[] {
  const joined: UserPiece[] = []
  for (const piece of pieces) {
    const last = joined.at(-1)
    if (last?.type === 'user' && piece.type === 'user' && last.origin === piece.origin) {
      joined[joined.length - 1] = { ...last, text: `${last.text}\n${piece.text}` }
    } else joined.push(piece)
  }
  return joined
}

function imagesOnly(record: JsonObject): UserPiece {
  return record.isMeta === true || record.toolUseResult !== undefined
    ? { type: 'context', origin: 'harness', name: 'meta', text: '' }
    : { type: 'user', origin: 'typed', text: '' }
}

/** Classifies each text of a record, first by the marks of the record and then by the text. */
function userPieces(record: JsonObject, texts: readonly string[]): UserPiece[] {
  const whole = texts.join('\n').trim()
  const kind = asText(asObject(record.origin)?.kind)
  if (whole === '') return []
  if (record.isMeta === true)
    return [{ type: 'context', origin: 'harness', name: metaName(whole), text: whole }]
  if (kind !== undefined && kind !== 'human')
    return [{ type: 'context', origin: 'notification', name: kind, text: whole }]
  if (record.promptSource === 'system')
    return [{ type: 'context', origin: 'notification', name: 'system', text: whole }]
  const plan = asText(record.planContent)?.trim()
  if (plan !== undefined && plan !== '' && whole.includes(plan)) return acceptedPlan(whole, plan)
  return texts.flatMap(splitUserText)
}

/** The user accepted a plan: the text before it expresses that, the plan itself is the agent's. */
function acceptedPlan(whole: string, plan: string): UserPiece[] {
  const words = whole.slice(0, whole.indexOf(plan)).trim()
  const rest = whole.slice(words.length).trim()
  const accepted: UserPiece = {
    type: 'user',
    origin: 'command',
    text: words === '' ? 'Implement the plan' : words,
  }
  return [accepted, { type: 'context', origin: 'harness', name: 'plan', text: rest }]
}

function metaName(text: string): string {
  if (text.startsWith('Base directory for this skill:')) return 'skill'
  if (text.startsWith('<local-command-caveat>') || text.startsWith('Caveat:')) return 'caveat'
  return text.startsWith('Stop hook feedback:') ? 'stop-hook' : 'meta'
}

function writePiece(
  reading: Reading,
  record: JsonObject,
  speaker: Speaker,
  piece: UserPiece,
  images: number,
): void {
  const { out } = reading
  const { agent } = speaker
  const shared = { ...timeOf(record), ...(images > 0 && { images }) }
  if (piece.type === 'compaction') {
    writeCompaction(reading, speaker.agent, { text: piece.text, record })
    return
  }
  endNotified(reading, piece)
  if (piece.type === 'context') {
    out.event({ agent, ...shared, type: 'context', origin: piece.origin, name: piece.name, text: piece.text })
  } else if (speaker.byAgent) {
    out.event({ agent, ...shared, type: 'context', origin: 'agent', name: 'prompt', text: piece.text })
  } else {
    const queued = reading.queue.seen(piece.text) || record.promptSource === 'queued'
    const origin = piece.origin === 'typed' && queued ? 'queued' : piece.origin
    out.event({ agent, ...shared, type: 'user', origin, text: piece.text })
  }
}

/** Ends a subagent in the background when a notice says that it is done. */
function endNotified(reading: Reading, piece: Exclude<UserPiece, { type: 'compaction' }>): void {
  if (piece.type !== 'context' || piece.origin !== 'notification') return
  const id = cutBlocks(piece.text, 'task-id').blocks[0]?.trim()
  if (id !== undefined) reading.agents.end(id, reading.place)
}

function writeResult(
  reading: Reading,
  record: JsonObject,
  agent: string,
  block: JsonObject,
  structured: unknown,
): void {
  const { out, agents, place } = reading
  const callId = asText(block.tool_use_id) ?? ''
  const name = reading.tools.get(callId)
  const outcome = toolOutcome(block, structured, record, name)
  const details = asObject(structured)
  const child = asText(details?.agentId) ?? agents.childOf(callId)
  if (child !== undefined) agents.named(callId, child)
  const launched = details?.isAsync === true || details?.status === 'async_launched'
  // If the log holds no messages of a subagent, the call still shows that it existed.
  const hasFile = out.files.some((file) => agentOfFile(file) === child)
  if (child !== undefined && !hasFile) agents.begin(child, '', place, callId)
  if (child !== undefined && !launched && !hasFile) agents.end(child, place)
  const mayTell = outcome.status === 'denied' && agent === 'main'
  const { text, feedback }: ReturnType<typeof cutFeedback> = mayTell
    ? feedbackOf(outcome.text, record, name)
    : { text: outcome.text }
  const copied = reading.copies.calls.has(callId) ? { copied: true as const } : {}
  if (copied.copied) reading.copies.events++
  out.event({ agent, ...timeOf(record), type: 'tool_result', callId, ...outcome, text, ...copied })
  if (feedback !== undefined) {
    out.event({ agent, ...timeOf(record), type: 'user', origin: 'typed', text: feedback })
  }
}

/** A tool of an MCP server could write such a text itself, so the harness must confirm it. */
function feedbackOf(text: string, record: JsonObject, name = ''): ReturnType<typeof cutFeedback> {
  const vouched = record.toolDenialKind === 'user-rejected' || asText(record.userFeedback) !== undefined
  return name.startsWith('mcp__') && !vouched ? { text } : cutFeedback(text)
}
