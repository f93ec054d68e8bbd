import { asCount, asList, asObject, asText, type JsonObject } from '../../session/json-values.ts'
import { timeOfMillis } from '../shared/epoch-time.ts'
import { type ClineOutput, parsedInput, writeCall, writeResult } from './calls.ts'
import { blocksOf, textOf } from './content.ts'
import { type ClineState, write, writeContext, writeUser, writeWords } from './state.ts'
import { type ClinePiece, splitUserText } from './user-text.ts'
import { splitAssistantText } from './xml-calls.ts'

/** One message of `api_conversation_history.json`, of Cline, Roo or Kilo. */
export function readHistoryMessage(state: ClineState, value: unknown, time?: string): void {
  const message = asObject(value)
  state.time = timeOfMillis(message?.ts) ?? time
  if (message === undefined) {
    write(state, { type: 'other', name: 'message', raw: value })
    return
  }
  state.model = asText(asObject(message.modelInfo)?.modelId) ?? state.model
  if (message.isSummary === true) {
    writeSummary(state, message)
    return
  }
  if (message.isTruncationMarker === true) {
    write(state, { type: 'compaction', text: textOf(message.content), trigger: 'truncation' })
    return
  }
  if (message.type === 'reasoning') {
    writeReasoningItem(state, message)
    return
  }
  if (message.role === 'assistant') readResponse(state, message)
  else if (message.role === 'user') readUserMessage(state, message)
  else if (message.role === 'system') {
    if (!writeContext(state, 'system', 'system prompt', textOf(message.content)))
      state.out.absorb('repeated context')
  } else write(state, { type: 'other', name: asText(message.role) ?? 'message', raw: value })
}

/** Roo's summary, which replaces what it hides; Roo keeps the hidden messages. */
function writeSummary(state: ClineState, message: JsonObject): void {
  const text = textOf(message.content)
  state.written.add(text.trim())
  write(state, { type: 'compaction', text })
}

/** Reasoning as a separate message (Roo with the Responses API). */
function writeReasoningItem(state: ClineState, message: JsonObject): void {
  const parts = [...asList(message.summary), ...blocksOf(message.content)]
  const texts = parts.map((part) => asText(asObject(part)?.text)).filter((text) => text !== undefined)
  const text = asText(message.text) ?? texts.join('\n')
  if (text.trim() === '') state.out.absorb('encrypted reasoning')
  else write(state, { type: 'reasoning', text })
}

function readResponse(state: ClineState, message: JsonObject): void {
  state.open = []
  const thoughts = asText(message.reasoning_content)
  const blocks = blocksOf(message.content)
  const shown = blocks.some(
    (block) => asObject(block)?.type === 'thinking' || asObject(block)?.type === 'reasoning',
  )
  if (thoughts !== undefined && !shown) write(state, { type: 'reasoning', text: thoughts })
  else if (!shown) writeReasoningDetails(state, message.reasoning_details)
  for (const block of blocks) readResponseBlock(state, block)
  state.out.absorb('empty message')
}

function writeReasoningDetails(state: ClineState, details: unknown): void {
  const texts = asList(details).map(
    (detail) => asText(asObject(detail)?.text) ?? asText(asObject(detail)?.summary),
  )
  const text = texts.filter((part) => part !== undefined).join('\n')
  if (text.trim() !== '') write(state, { type: 'reasoning', text })
}

function readResponseBlock(state: ClineState, value: unknown): void {
  const block = asObject(value)
  const type = asText(block?.type)
  if (type === 'text' && typeof block?.text === 'string') readResponseText(state, block.text)
  else if (type === 'thinking' || type === 'reasoning') {
    const text = asText(block?.thinking) ?? asText(block?.text) ?? ''
    if (text.trim() !== '') write(state, { type: 'reasoning', text })
    else state.out.absorb('encrypted reasoning')
  } else if (type === 'redacted_thinking' || type === 'thoughtSignature')
    state.out.absorb('encrypted reasoning')
  else if (type === 'tool_use' && asText(block?.name) !== undefined)
    writeCall(state, asText(block?.id), asText(block?.name) ?? 'tool', parsedInput(block?.input))
  else write(state, { type: 'other', name: type ?? 'block', raw: value })
}

/** Versions that did not use the API's tools put calls into the text. */
function readResponseText(state: ClineState, text: string): void {
  const parts = splitAssistantText(text)
  for (const part of parts) {
    if (part.kind === 'words') writeWords(state, part.text)
    else if (part.kind === 'thoughts') {
      if (part.text !== '') write(state, { type: 'reasoning', text: part.text })
    } else writeCall(state, undefined, part.name, part.input)
  }
  if (parts.length === 0) state.out.absorb('empty message')
}

/** A user message: the user's text, results of tools, environment details. */
function readUserMessage(state: ClineState, message: JsonObject): void {
  const blocks = blocksOf(message.content)
  let images = 0
  const pieces: ClinePiece[] = []
  const flush = (): void => {
    writePieces(state, pieces.splice(0), images)
    images = 0
  }
  for (const value of blocks) {
    const block = asObject(value)
    const type = asText(block?.type)
    if (typeof block?.text === 'string' && type === 'text') pieces.push(...splitUserText(block.text))
    else if (type === 'image' || type === 'image_url') images++
    else if (type === 'tool_result') {
      flush()
      readToolResult(state, block ?? {})
    } else if (type === 'document' || type === 'file') {
      const text = asText(block?.content) ?? asText(block?.title) ?? type
      pieces.push({ kind: 'attachment', name: asText(block?.path) ?? type, text })
    } else {
      flush()
      write(state, { type: 'other', name: type ?? 'block', raw: value })
    }
  }
  flush()
  state.out.absorb('repeated context')
}

/** A text without a tag continues the result before it, or is the user's if no other part is. */
function writePieces(state: ClineState, pieces: readonly ClinePiece[], images: number): void {
  const hasWords = pieces.some(({ kind }) => kind === 'user')
  let result: { tool: string; outputs: ClineOutput[] } | undefined
  let pictures = images
  const close = (): void => {
    if (result === undefined) return
    const outputs = result.outputs.filter(({ text }, index) => text !== '' || index === 0)
    const text = outputs
      .map((output) => output.text)
      .join('\n')
      .trim()
    writeResult(state, { name: result.tool }, [{ text, ...(pictures > 0 && { images: pictures }) }])
    pictures = 0
    result = undefined
  }
  for (const piece of pieces) {
    const goesOn = piece.kind === 'plain' || (piece.kind === 'context' && piece.name === 'message')
    if (goesOn && result !== undefined) {
      result.outputs.push({ text: piece.text })
      continue
    }
    close()
    if (piece.kind === 'result') result = { tool: piece.tool, outputs: [{ text: piece.text }] }
    else if (piece.kind === 'user' || (piece.kind === 'plain' && !hasWords)) {
      writeUser(state, piece.text, pictures)
      pictures = 0
    } else writePiece(state, piece)
  }
  close()
  if (pictures > 0) writeUser(state, '', pictures)
}

function writePiece(state: ClineState, piece: Exclude<ClinePiece, { kind: 'result' | 'user' }>): void {
  if (piece.kind === 'environment') writeEnvironment(state, piece.text)
  else if (piece.kind === 'compaction') {
    const { text, trigger } = piece
    write(state, { type: 'compaction', text, ...(trigger !== undefined && { trigger }) })
  } else if (piece.kind === 'attachment') writeContext(state, 'attachment', piece.name, piece.text)
  else writeContext(state, 'harness', piece.kind === 'context' ? piece.name : 'message', piece.text)
}

/** Sections that change every time and say nothing lasting. */
const passingHeading = /^# (?:Current Time|Context Window Usage|Current Context Size|Current Cost)\b/

/** Writes the new lines of the dump at the end of each message. */
export function writeEnvironment(state: ClineState, text: string): void {
  const cwd = /^# Current (?:Workspace|Working) Directory \(([^)\n]{1,1000})\)/m.exec(text)?.[1]
  state.out.meta({ cwd })
  const fresh: string[] = []
  let heading = ''
  for (const line of text.split('\n')) {
    if (line.startsWith('# ')) heading = line
    if (line.trim() === '' || state.environment.has(line) || passingHeading.test(heading)) continue
    state.environment.add(line)
    fresh.push(line)
  }
  if (fresh.some((line) => !line.startsWith('#')))
    writeContext(state, 'harness', 'environment_details', fresh.join('\n'))
}

function readToolResult(state: ClineState, block: JsonObject): void {
  const outputs: ClineOutput[] = []
  const words: ClinePiece[] = []
  let images = 0
  for (const value of blocksOf(block.content)) {
    const part = asObject(value)
    if (/image/.test(asText(part?.type) ?? '')) images++
    else if (typeof part?.text === 'string') {
      for (const piece of splitResultText(part.text)) {
        if (piece.kind === 'result') outputs.push({ text: piece.text })
        else words.push(piece)
      }
    } else outputs.push({ text: typeof value === 'string' ? value : JSON.stringify(value) })
  }
  const text = outputs.map((output) => output.text).join('\n')
  const failed = block.is_error === true
  writeResult(state, { id: asText(block.tool_use_id) ?? '' }, [
    { text, failed, ...(images > 0 && { images }) },
  ])
  for (const piece of words) {
    if (piece.kind === 'user') writeUser(state, piece.text)
    else if (piece.kind !== 'result') writePiece(state, piece)
  }
}

/** Splits a result of the API that may contain the user's words. */
function splitResultText(text: string): ClinePiece[] {
  return splitUserText(
    text.startsWith('[') && /^\[[^\n]{0,2100}\] Result:/.test(text) ? text : `[tool] Result:\n${text}`,
  )
}

/** Counts the tokens that a message of newer versions reports; input without the cache. */
export function countMessage(state: ClineState, value: unknown, index: number): boolean {
  const message = asObject(value)
  const tokens = asObject(asObject(message?.metrics)?.tokens)
  if (tokens === undefined) return false
  const cached = asCount(tokens.cached) ?? asCount(tokens.cacheReads)
  const prompt = asCount(tokens.prompt)
  state.out.usage(
    `message ${index}`,
    'main',
    asText(asObject(message?.modelInfo)?.modelId) ?? state.model ?? 'unknown',
    {
      inputTokens: prompt === undefined ? undefined : prompt + (cached ?? 0),
      outputTokens: asCount(tokens.completion),
      cacheReadTokens: cached,
    },
  )
  return true
}
