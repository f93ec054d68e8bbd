import * as json from '../../session/json.ts'
import { toolKindOf } from '../../tools/tool-kind.ts'
import { byKind } from '../shared/by-kind.ts'
import { cutBlocks, type UserPiece } from '../shared/program-blocks.ts'
import { usageIn } from '../shared/usage.ts'
import { resultDraft } from '../shared/writer.ts'
import { type Reading, writeCompaction } from './reading.ts'
import { agentOfFile } from './shapes.ts'
import { toolOutcome } from './tools.ts'
import { beginningOf, cutFeedback, splitUserText } from './user.ts'

const synthetic = '<synthetic>'

/** Reads a record of the model; returns `false` if its form is unknown, like the functions below. */
export function readAssistant(reading: Reading, record: json.Fields): boolean {
  const { copies, out, place } = reading
  const { content, id, model, usage } = json.fields(record.message)
  const blocks = contentBlocks(content)
  if (blocks === undefined) return false
  const messageId = json.text(id)
  // A fork begins with its parent's records under its own session id; a copied answer was requested by another session,
  // and everything before it is copied too.
  const requested = json.text(record.requestSessionId)
  const isForked = requested !== undefined && json.text(record.sessionId) !== undefined
  const isCopy = place.file === 0 && isForked && requested !== record.sessionId
  reading.model = json.text(model)
  if (usage !== undefined && reading.model !== synthetic && !isCopy) {
    const key = `${messageId ?? json.text(record.uuid) ?? `line ${place.line}`} ${json.text(record.requestId) ?? ''}`
    out.usage(key, reading.agent, reading.model ?? '', usageIn(usage, 'anthropic'))
  }
  for (const value of blocks) {
    const block = json.fields(value)
    if (isRepeated(reading, messageId, block)) out.absorb('repeated block of a response')
    else if (reading.model === synthetic)
      reading.context('harness', record.isApiErrorMessage === true ? 'api_error' : 'synthetic', block.text)
    else if (readBlock(reading, block.type, block)) continue
    else if (typeof block.tool_use_id === 'string') readResult(reading, record, block, undefined)
    else reading.other(value, `assistant ${json.text(block.type) ?? 'content'}`)
  }
  if (blocks.length === 0) out.absorb('empty message')
  if (isCopy) {
    copies.events += out.copied()
    for (const block of blocks) copies.calls.add(json.text(block, 'id') ?? '')
  }
  return true
}

function contentBlocks(content: unknown): readonly unknown[] | undefined {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return Array.isArray(content) ? content : undefined
}

function isRepeated({ agent, blocks }: Reading, messageId: string | undefined, block: json.Fields): boolean {
  const key = json.text(block.id) ?? json.text(block.text) ?? json.text(block.thinking)
  if (messageId === undefined || key === undefined) return false
  // Both ends and the length distinguish a long text from others of the same message.
  const short = key.length > 100 ? `${key.length} ${key.slice(0, 50)}${key.slice(-50)}` : key
  const mark = `${agent}\n${messageId}\n${short}`
  if (blocks.has(mark)) return true
  blocks.add(mark)
  return false
}

const readBlock = byKind<Reading>({
  text: (reading, { text }) => typeof text === 'string' && void reading.say(text),
  thinking: (reading, { thinking }) => typeof thinking === 'string' && void reading.think(thinking),
  redacted_thinking: 'encrypted reasoning',
  'tool_use server_tool_use mcp_tool_use'(reading, { id, input = null, name: given }) {
    const { agent, model } = reading
    const name = json.text(given) ?? ''
    const callId = json.text(id) ?? ''
    reading.tools.set(callId, name)
    const kind = toolKindOf(name, input)
    const cwd = kind === 'execute' ? reading.cwd : undefined
    const branch =
      cwd !== undefined && reading.isBranchNew && reading.place.file === 0 ? reading.branch : undefined
    if (branch !== undefined) reading.isBranchNew = false
    const { turn } = reading.write({ type: 'tool_call', callId, name, kind, input, cwd, branch, model })
    reading.agents.called(callId, name, json.fields(input), agent, turn)
  },
})

export function readUser(reading: Reading, record: json.Fields): boolean {
  const blocks = contentBlocks(json.at(record.message, 'content'))
  if (blocks === undefined) return false
  const texts: string[] = []
  let images = 0
  for (const value of blocks) {
    const block = json.fields(value)
    if (block.type === 'text' && typeof block.text === 'string') texts.push(block.text)
    else if (block.type === 'image' || block.type === 'document') images++
    else if (typeof block.tool_use_id === 'string') readResult(reading, record, block, record.toolUseResult)
    else reading.other(value, `user ${json.text(block.type) ?? 'content'}`)
  }
  if (record.isCompactSummary === true) writeCompaction(reading, texts.join('\n'))
  else writeTexts(reading, record, texts, images)
  return true
}

export function writeTexts(reading: Reading, record: json.Fields, texts: readonly string[], images = 0) {
  const pieces: UserPiece[] = []
  for (const piece of userPieces(record, texts)) {
    const last = pieces.at(-1)
    if (last?.type === 'user' && piece.type === 'user' && last.origin === piece.origin)
      pieces[pieces.length - 1] = { ...last, text: `${last.text}\n${piece.text}` }
    else pieces.push(piece)
  }
  if (pieces.length === 0 && images === 0) reading.out.absorb('empty message')
  else if (pieces.length === 0 && (record.isMeta === true || record.toolUseResult !== undefined))
    pieces.push({ type: 'context', origin: 'harness', name: 'meta', text: '' })
  else if (pieces.length === 0) pieces.push({ type: 'user', origin: 'typed', text: '' })
  // Images belong to the adjacent message.
  const words = pieces.findLastIndex((piece) => piece.type === 'user')
  const holder = words === -1 ? pieces.length - 1 : words
  for (const [index, piece] of pieces.entries())
    writePiece(reading, piece, index === holder ? images : 0, record.promptSource === 'queued')
}

function userPieces(record: json.Fields, texts: readonly string[]): UserPiece[] {
  const whole = texts.join('\n').trim()
  const kind = json.text(record.origin, 'kind') ?? 'human'
  if (whole === '') return []
  if (record.isMeta === true)
    return [{ type: 'context', origin: 'harness', name: beginningOf(whole)?.[2] ?? 'meta', text: whole }]
  const notifier = kind !== 'human' ? kind : record.promptSource === 'system' ? 'system' : ''
  if (notifier !== '') return [{ type: 'context', origin: 'notification', name: notifier, text: whole }]
  const plan = json.text(record.planContent)?.trim() ?? ''
  if (plan === '' || !whole.includes(plan)) return texts.flatMap(splitUserText)
  // The user accepted a plan: the text before the plan is the user's, the plan itself the agent's.
  const words = whole.slice(0, whole.indexOf(plan)).trim()
  return [
    { type: 'user', origin: 'command', text: words === '' ? 'Implement the plan' : words },
    { type: 'context', origin: 'harness', name: 'plan', text: whole.slice(words.length).trim() },
  ]
}

function writePiece(reading: Reading, piece: UserPiece, images: number, isQueued: boolean): void {
  if (piece.type === 'compaction') writeCompaction(reading, piece.text)
  else if (piece.type === 'context') {
    // A notice that a background subagent has ended.
    const [id] = piece.origin === 'notification' ? cutBlocks(piece.text, 'task-id').blocks : []
    if (id !== undefined) reading.agents.end(id.trim(), reading.place)
    reading.write({ ...piece, images })
  } else if (reading.byAgent)
    reading.write({ type: 'context', origin: 'agent', name: 'prompt', text: piece.text, images })
  else {
    const queued = reading.queue.seen(piece.text) || isQueued
    reading.write({ ...piece, origin: piece.origin === 'typed' && queued ? 'queued' : piece.origin, images })
  }
}

function readResult(reading: Reading, record: json.Fields, block: json.Fields, structured: unknown): void {
  const { agent, agents, copies, out, place } = reading
  const callId = json.text(block.tool_use_id) ?? ''
  const name = reading.tools.get(callId)
  const outcome = toolOutcome(block, structured, record, name)
  const { agentId, isAsync, status } = json.fields(structured)
  const child = json.text(agentId) ?? agents.childOf(callId)
  if (child !== undefined) agents.named(callId, child)
  // If the log has no messages of a subagent, its call still shows that it existed.
  if (child !== undefined && !out.files.some((file) => agentOfFile(file) === child)) {
    agents.begin(child, '', place, callId)
    if (isAsync !== true && status !== 'async_launched') agents.end(child, place)
  }
  // A tool of an MCP server could write such a text itself, so the harness must confirm it.
  const vouched = record.toolDenialKind === 'user-rejected' || json.text(record.userFeedback) !== undefined
  const mayTell = outcome.status === 'denied' && agent === 'main' && (vouched || !name?.startsWith('mcp__'))
  const { text, feedback = '' } = mayTell ? cutFeedback(outcome.text) : { text: outcome.text }
  const copied = copies.calls.has(callId) || undefined
  if (copied) copies.events++
  reading.write({ ...resultDraft(callId, { ...outcome, text }), copied })
  if (feedback !== '') reading.write({ type: 'user', origin: 'typed', text: feedback })
}
