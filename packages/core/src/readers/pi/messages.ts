import type { ContextEvent } from '../../session/event.ts'
import { asCount, asList, asObject, asText, type JsonObject, parseJson } from '../../session/json-values.ts'
import { known } from '../../session/known.ts'
import type { TokenUsage } from '../../session/usage.ts'
import { toolKindOf } from '../../tools/tool-kind.ts'
import { contentOf, piOutcome } from './results.ts'
import { type PiState, write } from './state.ts'
import { readSubagents } from './subagents.ts'

/** Reads the message of an entry; returns `false` if its role is not known. */
export function readMessage(state: PiState, message: JsonObject, key: string): boolean {
  switch (message.role) {
    case 'user':
      readUser(state, message)
      return true
    case 'assistant':
      readAssistant(state, message, key)
      return true
    case 'toolResult':
      readResult(state, message)
      return true
    case 'bashExecution':
      readBash(state, message)
      return true
    case 'system':
      readSystem(state, message)
      return true
    case 'custom':
    case 'hookMessage':
      readCustom(state, message)
      return true
    case 'branchSummary':
    case 'compactionSummary':
      readSummary(state, message.role, message)
      return true
  }
  return false
}

/** Blocks that pi puts before a prompt for `@file` arguments and `/skill:name`. */
function cutAttachments(text: string): {
  readonly attachments: readonly { readonly name: string; readonly text: string }[]
  readonly words: string
} {
  const attachments: { name: string; text: string }[] = []
  let words = text
  for (;;) {
    const name = /^\s*<(file|skill) name="/.exec(words)?.[1]
    const end = name === undefined ? -1 : words.indexOf(`</${name}>`)
    if (name === undefined || end === -1) break
    const stop = end + name.length + 3
    attachments.push({ name, text: words.slice(0, stop).trim() })
    words = words.slice(stop)
  }
  return { attachments, words: attachments.length > 0 ? words.trim() : words }
}

function readUser(state: PiState, message: JsonObject): void {
  const { texts, images, others } = contentOf(message.content)
  const text = texts.join('\n')
  const { attachments, words } = cutAttachments(text)
  const pictures = images > 0 ? { images } : {}
  if (state.agent !== 'main') {
    // The task is already in the call.
    if (state.task === undefined || !text.endsWith(state.task))
      write(state, { type: 'context', origin: 'agent', name: 'task', text, ...pictures })
    return
  }
  if (words.trim() !== '' || images > 0)
    write(state, { type: 'user', origin: 'typed', text: words, ...pictures })
  for (const attachment of attachments) write(state, { type: 'context', origin: 'attachment', ...attachment })
  writeOthers(state, 'user block', others)
  state.out.absorb('empty message')
}

/** Reads a system prompt, or a change of it (0.87): text, and sections by name of which `null` deletes one. */
function readSystem(state: PiState, message: JsonObject): void {
  const sections = Object.values(asObject(message.sections) ?? {})
  const { texts } = contentOf(message.content)
  const text = [...texts, ...sections].filter((part) => asText(part) !== undefined).join('\n\n')
  if (text.trim() === '') state.out.absorb('change of the tools')
  else write(state, { type: 'context', origin: 'system', name: 'system prompt', text })
}

/** Counts a response that is not a message: one that warms a cache, or a compaction. */
export function readUsage(state: PiState, record: JsonObject, key: string): void {
  const usage = piUsage(asObject(record.usage))
  const model = asText(record.model) ?? state.model
  if (usage !== undefined && model !== undefined && !state.copied)
    state.out.usage(`usage ${key}`, state.agent, model, usage)
  state.out.absorb('usage')
}

function writeOthers(state: PiState, name: string, values: readonly unknown[]): void {
  for (const raw of values) write(state, { type: 'other', name, raw })
}

function readAssistant(state: PiState, message: JsonObject, key: string): void {
  const { out } = state
  const model = asText(message.model) ?? state.model
  state.model = model
  const usage = piUsage(asObject(message.usage))
  if (usage !== undefined && model !== undefined && !state.copied) out.usage(key, state.agent, model, usage)
  const blocks =
    typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : message.content
  if (blocks !== undefined && !Array.isArray(blocks)) writeOthers(state, 'assistant content', [blocks])
  for (const [index, value] of asList(blocks).entries()) {
    readBlock(state, value, { key: `${key}-${index + 1}`, model, stopReason: message.stopReason })
  }
  const failed = message.stopReason === 'error' || message.stopReason === 'aborted'
  const text = asText(message.errorMessage)
  if (failed || text !== undefined) {
    const name = asText(message.stopReason) ?? 'error'
    write(state, { type: 'context', origin: 'harness', name, text: text ?? '' })
  }
  out.absorb('answer without content')
}

interface BlockPlace {
  readonly key: string
  readonly model: string | undefined
  readonly stopReason: unknown
}

function readBlock(state: PiState, value: unknown, { key, model, stopReason }: BlockPlace): void {
  const { out } = state
  const block = asObject(value)
  const by = model === undefined ? {} : { model }
  if (block?.type === 'text' && typeof block.text === 'string') {
    if (block.text.trim() === '') out.absorb('empty text')
    else write(state, { type: 'assistant', text: block.text, ...by, ...phaseOf(block, stopReason) })
  } else if (block?.type === 'thinking' && typeof block.thinking === 'string') {
    if (block.thinking.trim() === '') out.absorb('encrypted reasoning')
    else write(state, { type: 'reasoning', text: block.thinking })
  } else if (block?.type === 'redactedThinking' || block?.redacted === true) out.absorb('encrypted reasoning')
  else if (block?.type === 'toolCall' && asText(block.name) !== undefined) {
    const name = asText(block.name) ?? ''
    const callId = state.newCallId(block.id, key)
    const input = block.arguments ?? null
    state.calls.set(asText(block.id) ?? callId, { callId, name, input })
    write(state, { type: 'tool_call', callId, name, kind: toolKindOf(name), input, ...by })
  } else write(state, { type: 'other', name: asText(block?.type) ?? 'assistant block', raw: value })
}

/** The phase from the signature of newer models, or from the reason why the response ended. */
function phaseOf(block: JsonObject, stopReason: unknown): { phase?: 'commentary' | 'final' } {
  const phase = asObject(parseJson(asText(block.textSignature) ?? ''))?.phase
  if (phase === 'final_answer') return { phase: 'final' }
  if (phase === 'commentary' || stopReason === 'toolUse') return { phase: 'commentary' }
  return stopReason === 'stop' ? { phase: 'final' } : {}
}

/** Tokens of a response: the cache is counted separately from the input. */
function piUsage(usage: JsonObject | undefined): TokenUsage | undefined {
  const input = asCount(usage?.input)
  const output = asCount(usage?.output)
  const read = asCount(usage?.cacheRead)
  const written = asCount(usage?.cacheWrite)
  const sum = (input ?? 0) + (output ?? 0) + (read ?? 0) + (written ?? 0)
  // A response that broke off has zeros.
  if (sum === 0) return undefined
  return known<TokenUsage>({
    inputTokens: input === undefined ? undefined : input + (read ?? 0) + (written ?? 0),
    outputTokens: output,
    cacheReadTokens: read,
    cacheWriteTokens: written,
    reasoningTokens: asCount(usage?.reasoning),
  })
}

function readResult(state: PiState, message: JsonObject): void {
  const id = asText(message.toolCallId) ?? ''
  const call = state.calls.get(id)
  if (call === undefined) state.out.note('result-without-call', 'a tool result answers no call of this log')
  else readSubagents(state, message.details, call, readMessage)
  write(state, { type: 'tool_result', callId: call?.callId ?? id, ...piOutcome(message, call) })
}

/** Reads a command that the user ran with `!`; with `!!` the agent did not see it. */
function readBash(state: PiState, message: JsonObject): void {
  const hidden = message.excludeFromContext === true
  const command = asText(message.command) ?? ''
  write(state, { type: 'user', origin: 'command', text: `${hidden ? '!!' : '!'} ${command}` })
  const ends = [
    typeof message.exitCode === 'number' && message.exitCode !== 0 ? `exit code ${message.exitCode}` : '',
    message.cancelled === true ? 'cancelled' : '',
  ].filter((end) => end !== '')
  const text = [asText(message.output) ?? '', ...ends.map((end) => `(${end})`)].join('\n').trim()
  if (text !== '') write(state, { type: 'context', origin: 'output', name: 'bash', text })
}

/** Reads a message that an extension sent to the model. */
export function readCustom(state: PiState, message: JsonObject): void {
  const { texts, images, others } = contentOf(message.content)
  const name = asText(message.customType) ?? 'custom'
  const pictures = images > 0 ? { images } : {}
  const text = texts.join('\n')
  if (text.trim() !== '' || images > 0) {
    write(state, { type: 'context', origin: 'harness', name, text, ...pictures })
  }
  writeOthers(state, name, others)
  state.out.absorb('empty message')
}

/** Reads a summary of an abandoned branch, or of what a compaction removed. */
export function readSummary(
  state: PiState,
  kind: 'branchSummary' | 'compactionSummary',
  { summary, tokensBefore, fromHook }: JsonObject,
): void {
  const text = asText(summary) ?? ''
  if (kind === 'branchSummary') {
    const context: Pick<ContextEvent, 'origin' | 'name'> = { origin: 'harness', name: 'branch_summary' }
    if (text === '') state.out.absorb('empty message')
    else write(state, { type: 'context', ...context, text })
    return
  }
  const before = asCount(tokensBefore)
  const details = {
    ...(fromHook === true && { trigger: 'hook' }),
    ...(before !== undefined && { tokensBefore: before }),
  }
  write(state, { type: 'compaction', text, ...details })
}
