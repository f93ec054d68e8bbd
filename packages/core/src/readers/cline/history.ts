import * as json from '../../session/json.ts'
import { callArguments } from '../messages/conversation.ts'
import { byKind } from '../shared/by-kind.ts'
import { usageIn } from '../shared/usage.ts'
import { timeOfMillis } from '../shared/values.ts'
import { type ClineOutput, type ClineState, writeCall, writeResult, writeUser, writeWords } from './calls.ts'
import { blocksOf, textOf } from './shapes.ts'
import { type ClinePiece, splitAssistantText, splitUserText } from './texts.ts'

export function readHistoryMessage(state: ClineState, value: unknown, time?: string): void {
  const message = json.fields(value)
  const text = textOf(message.content)
  state.time = timeOfMillis(message.ts) ?? time
  state.model = json.text(message.modelInfo, 'modelId') ?? state.model
  if (message.isSummary === true) {
    // Roo's summary, which replaces what it hides; Roo keeps the hidden messages.
    state.isNew(text)
    state.write({ type: 'compaction', text })
  } else if (message.isTruncationMarker === true)
    state.write({ type: 'compaction', text, trigger: 'truncation' })
  else if (message.type === 'reasoning') {
    // A message of its own (Roo with the Responses API).
    const parts = [...json.list(message.summary), ...blocksOf(message.content)]
    state.think(json.text(message.text) ?? thoughtsIn(parts))
  } else if (!readRole(state, message.role, message)) state.other(value, json.text(message.role) ?? 'message')
}

const readRole = byKind<ClineState>({
  assistant(state, message) {
    const blocks = blocksOf(message.content)
    state.waiting = []
    if (!blocks.some((block) => /^(?:thinking|reasoning)$/.test(json.text(block, 'type') ?? '')))
      state.think(json.text(message.reasoning_content) ?? thoughtsIn(json.list(message.reasoning_details)))
    // Versions that did not use the API's tools put calls into the text.
    readResponseBlocks(state, blocks, (text) => {
      for (const part of splitAssistantText(text)) {
        if (part.kind === 'call') writeCall(state, undefined, part.name, part.input)
        else if (part.kind === 'words') writeWords(state, part.text)
        else state.think(part.text)
      }
    })
    state.out.absorb('empty message')
  },
  user: (state, { content }) => readUserBlocks(state, blocksOf(content), readToolResult),
  system: (state, { content }) => void state.contextOnce('system', 'system prompt', textOf(content).trim()),
})

function thoughtsIn(parts: readonly unknown[]): string {
  return json.texts(parts.map((part) => json.text(part, 'text') ?? json.text(part, 'summary'))).join('\n')
}

export function readResponseBlocks(
  state: ClineState,
  blocks: readonly unknown[],
  readText: (text: string) => void,
) {
  for (const value of blocks) {
    const block = json.fields(value)
    if (block.type === 'text' && typeof block.text === 'string') readText(block.text)
    else if (!readBlock(state, block.type, block)) state.other(value, json.text(block.type) ?? 'block')
  }
}

const readBlock = byKind<ClineState>({
  'thinking reasoning': (state, { text, thinking }) =>
    void state.think(json.text(thinking) ?? json.text(text)),
  'redacted_thinking thoughtSignature': 'encrypted reasoning',
  tool_use(state, { id, input, name }) {
    if (json.text(name) === undefined) return false
    writeCall(state, json.text(id), String(name), callArguments(input))
  },
})

export function readUserBlocks(
  state: ClineState,
  blocks: readonly unknown[],
  readResult: (state: ClineState, block: json.Fields) => void,
): void {
  let images = 0
  const pieces: ClinePiece[] = []
  const flush = (): void => {
    writePieces(state, pieces.splice(0), images)
    images = 0
  }
  for (const value of blocks) {
    const block = json.fields(value)
    const type = json.text(block.type)
    if (typeof block.text === 'string' && type === 'text') pieces.push(...splitUserText(block.text))
    else if (type === 'image' || type === 'image_url') images++
    else if (type === 'document' || type === 'file') {
      const [text = type] = json.texts([block.content, block.title])
      pieces.push({ kind: 'attachment', name: json.text(block.path) ?? type, text })
    } else {
      flush()
      if (type === 'tool_result') readResult(state, block)
      else state.other(value, type ?? 'block')
    }
  }
  flush()
  state.out.absorb('repeated context')
}

/** A text without a tag continues the result before it, or is the user's if no other part is. */
function writePieces(state: ClineState, pieces: readonly ClinePiece[], images: number): void {
  const hasWords = pieces.some(({ kind }) => kind === 'user')
  let result: { name: string | undefined; texts: string[] } | undefined
  let pictures = images
  const close = (): void => {
    if (result === undefined) return
    const text = result.texts.filter((part, index) => part !== '' || index === 0).join('\n')
    writeResult(state, result, [{ text: text.trim(), images: pictures }])
    pictures = 0
    result = undefined
  }
  for (const piece of pieces) {
    const { kind, name, text } = piece
    if (result !== undefined && (kind === 'plain' || (kind === 'context' && name === 'message'))) {
      result.texts.push(text)
      continue
    }
    close()
    if (kind === 'result') result = { name, texts: [text] }
    else if (kind === 'user' || (kind === 'plain' && !hasWords)) {
      writeUser(state, text, pictures)
      pictures = 0
    } else writePiece(state, piece)
  }
  close()
  if (pictures > 0) writeUser(state, '', pictures)
}

function writePiece(state: ClineState, { kind, name = 'message', text, trigger }: ClinePiece): void {
  if (kind === 'user') writeUser(state, text)
  else if (kind === 'environment') writeEnvironment(state, text)
  else if (kind === 'compaction') state.write({ type: 'compaction', text, trigger })
  else state.contextOnce(kind === 'attachment' ? kind : 'harness', name, text.trim())
}

const passingHeading = /^# (?:Current Time|Context Window Usage|Current Context Size|Current Cost)\b/

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
    state.contextOnce('harness', 'environment_details', fresh.join('\n').trim())
}

function readToolResult(state: ClineState, block: json.Fields): void {
  const texts: string[] = []
  const words: ClinePiece[] = []
  let images = 0
  for (const value of blocksOf(block.content)) {
    const { text, type } = json.fields(value)
    if (/image/.test(json.text(type) ?? '')) images++
    else if (typeof text === 'string') {
      const isMarked = text.startsWith('[') && /^\[[^\n]{0,2100}\] Result:/.test(text)
      for (const piece of splitUserText(isMarked ? text : `[tool] Result:\n${text}`)) {
        if (piece.kind === 'result') texts.push(piece.text)
        else words.push(piece)
      }
    } else texts.push(typeof value === 'string' ? value : JSON.stringify(value))
  }
  const output: ClineOutput = { text: texts.join('\n'), failed: block.is_error === true, images }
  writeResult(state, { id: json.text(block.tool_use_id) ?? '' }, [output])
  for (const piece of words) writePiece(state, piece)
}

export function countMessage(state: ClineState, value: unknown, index: number): void {
  const usage = usageIn(json.at(value, 'metrics', 'tokens'), 'cline')
  state.usage(`message ${index}`, usage, json.text(value, 'modelInfo', 'modelId'))
}
