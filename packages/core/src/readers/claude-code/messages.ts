import { asObject, asText, type JsonObject } from '../../session/json-values.ts'
import { cutBlocks, type UserPiece } from '../shared/program-blocks.ts'
import { byKind, resultDraft } from '../shared/writer.ts'
import { agentOfFile } from './files.ts'
import { type Reading, writeCompaction } from './reading.ts'
import { claudeUsage, toolKind, toolOutcome } from './tools.ts'
import { cutFeedback, splitUserText } from './user.ts'

const synthetic = '<synthetic>'

export function readAssistant(reading: Reading, record: JsonObject): void {
  const { copies, out } = reading
  const message = asObject(record.message)
  const blocks = contentBlocks(message?.content)
  if (message === undefined || blocks === undefined) {
    reading.other(record, 'assistant')
    return
  }
  const messageId = asText(message.id)
  const usage = asObject(message.usage)
  const isCopy = isCopied(reading, record)
  reading.model = asText(message.model)
  if (usage !== undefined && reading.model !== synthetic && !isCopy) {
    const key = `${messageId ?? asText(record.uuid) ?? `line ${reading.place.line}`} ${asText(record.requestId) ?? ''}`
    out.usage(key, reading.agent, reading.model ?? '', claudeUsage(usage))
  }
  for (const value of blocks) {
    const block = asObject(value) ?? {}
    if (isRepeated(reading, messageId, block)) out.absorb('repeated block of a response')
    else if (reading.model === synthetic) {
      const name = record.isApiErrorMessage === true ? 'api_error' : 'synthetic'
      reading.context('harness', name, asText(block.text) ?? '')
    } else if (readBlock(reading, block.type, block)) continue
    else if (typeof block.tool_use_id === 'string') readResult(reading, record, block, undefined)
    else reading.other(value, `assistant ${asText(block.type) ?? 'content'}`)
  }
  if (blocks.length === 0) out.absorb('empty message')
  if (!isCopy) return
  copies.events += out.copied()
  for (const block of blocks) copies.calls.add(asText(asObject(block)?.id) ?? '')
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

function isRepeated(reading: Reading, messageId: string | undefined, block: JsonObject): boolean {
  const key = asText(block.id) ?? asText(block.text) ?? asText(block.thinking)
  if (messageId === undefined || key === undefined) return false
  return !reading.blocks.add(`${reading.agent}\n${messageId}\n${key}`)
}

const readBlock = byKind<Reading>({
  text: (reading, { text }) => typeof text === 'string' && void reading.say(text),
  thinking: (reading, { thinking }) => typeof thinking === 'string' && void reading.think(thinking),
  redacted_thinking: 'encrypted reasoning',
  'tool_use server_tool_use mcp_tool_use'(reading, block) {
    const { agent, model } = reading
    const name = asText(block.name) ?? ''
    const callId = asText(block.id) ?? ''
    reading.tools.set(callId, name)
    const call = {
      type: 'tool_call',
      callId,
      name,
      kind: toolKind(name),
      input: block.input ?? null,
    } as const
    const { turn } = reading.write({ ...call, model })
    reading.agents.called(callId, name, asObject(block.input), agent, turn)
  },
})

/** Reads a record under the user's name: typed, injected, results of tools, or the summary of a compaction. */
export function readUser(reading: Reading, record: JsonObject): void {
  const blocks = contentBlocks(asObject(record.message)?.content)
  if (blocks === undefined) {
    reading.other(record, 'user')
    return
  }
  const texts: string[] = []
  let images = 0
  for (const value of blocks) {
    const block = asObject(value) ?? {}
    if (block.type === 'text' && typeof block.text === 'string') texts.push(block.text)
    else if (block.type === 'image' || block.type === 'document') images++
    else if (typeof block.tool_use_id === 'string') readResult(reading, record, block, record.toolUseResult)
    else reading.other(value, `user ${asText(block.type) ?? 'content'}`)
  }
  if (record.isCompactSummary === true) writeCompaction(reading, texts.join('\n'))
  else writeTexts(reading, record, texts, images)
}

/** Writes texts under the user's name, each part as its own type of event. */
export function writeTexts(
  reading: Reading,
  record: JsonObject,
  texts: readonly string[],
  images: number,
): void {
  const pieces = joinWords(userPieces(record, texts))
  if (pieces.length === 0 && images > 0) pieces.push(imagesOnly(record))
  if (pieces.length === 0) reading.out.absorb('empty message')
  // Images belong to the adjacent message.
  const words = pieces.findLastIndex((piece) => piece.type === 'user')
  const holder = words === -1 ? pieces.length - 1 : words
  for (const [index, piece] of pieces.entries())
    writePiece(reading, piece, index === holder ? images : 0, record.promptSource === 'queued')
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
  const notifier =
    kind !== undefined && kind !== 'human' ? kind : record.promptSource === 'system' && 'system'
  if (notifier) return [{ type: 'context', origin: 'notification', name: notifier, text: whole }]
  const plan = asText(record.planContent)?.trim() ?? ''
  if (plan === '' || !whole.includes(plan)) return texts.flatMap(splitUserText)
  // The user accepted a plan: the text before it expresses that, the plan itself is the agent's.
  const words = whole.slice(0, whole.indexOf(plan)).trim()
  return [
    { type: 'user', origin: 'command', text: words === '' ? 'Implement the plan' : words },
    { type: 'context', origin: 'harness', name: 'plan', text: whole.slice(words.length).trim() },
  ]
}

function metaName(text: string): string {
  if (text.startsWith('Base directory for this skill:')) return 'skill'
  if (text.startsWith('<local-command-caveat>') || text.startsWith('Caveat:')) return 'caveat'
  return text.startsWith('Stop hook feedback:') ? 'stop-hook' : 'meta'
}

function writePiece(reading: Reading, piece: UserPiece, images: number, isQueued: boolean): void {
  if (piece.type === 'compaction') writeCompaction(reading, piece.text)
  else if (piece.type === 'context') {
    // A notice says that a subagent in the background is done.
    const id =
      piece.origin === 'notification' ? cutBlocks(piece.text, 'task-id').blocks[0]?.trim() : undefined
    if (id !== undefined) reading.agents.end(id, reading.place)
    reading.write({ ...piece, images })
  } else if (reading.byAgent)
    reading.write({ type: 'context', origin: 'agent', name: 'prompt', text: piece.text, images })
  else {
    const queued = reading.queue.seen(piece.text) || isQueued
    reading.write({ ...piece, origin: piece.origin === 'typed' && queued ? 'queued' : piece.origin, images })
  }
}

function readResult(reading: Reading, record: JsonObject, block: JsonObject, structured: unknown): void {
  const { agent, agents, copies, out, place } = reading
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
  // A tool of an MCP server could write such a text itself, so the harness must confirm it.
  const vouched = record.toolDenialKind === 'user-rejected' || asText(record.userFeedback) !== undefined
  const mayTell = outcome.status === 'denied' && agent === 'main' && (vouched || !name?.startsWith('mcp__'))
  const { text, feedback = '' } = mayTell ? cutFeedback(outcome.text) : { text: outcome.text }
  const copied = copies.calls.has(callId) || undefined
  if (copied) copies.events++
  reading.write({ ...resultDraft(callId, { ...outcome, text }), copied })
  if (feedback !== '') reading.write({ type: 'user', origin: 'typed', text: feedback })
}
