import type { SourcePosition } from '../../../session/event.ts'
import {
  asCount,
  asList,
  asObject,
  asText,
  type JsonObject,
  objectsIn,
} from '../../../session/json-values.ts'
import { known } from '../../../session/known.ts'
import type { TokenUsage } from '../../../session/usage.ts'
import { parseShallow } from '../../log/parse-line.ts'
import { pathOfUri } from '../../shared/path-of-uri.ts'
import { type CursorState, write } from '../state.ts'
import { writeUserText } from '../user-text.ts'

/** Reads a message except for its tool call: the user's words, or what the agent thought and said. */
export function readBubble(state: CursorState, bubble: JsonObject, at: SourcePosition, model?: string): void {
  if (bubble.type === 1) readUser(state, bubble, at)
  else if (bubble.type === 2) readAssistant(state, bubble, at, model)
  else write(state, { type: 'other', name: 'message', raw: { type: bubble.type, text: bubble.text } }, at)
}

function readUser(state: CursorState, bubble: JsonObject, at: SourcePosition): void {
  const text = asText(bubble.text) ?? richTextOf(bubble.richText)
  writeUserText(state, text, asList(bubble.images).length, at)
  const attached = attachmentsOf(asObject(bubble.context) ?? {})
  if (attached !== '')
    write(state, { type: 'context', origin: 'attachment', name: 'attached', text: attached }, at)
}

/** The files and folders that the user attached, by path, and the code and terminal output that they selected. */
function attachmentsOf(context: JsonObject): string {
  const named = [...objectsIn(context.fileSelections), ...objectsIn(context.folderSelections)]
  const paths = named.flatMap(({ uri, relativePath }) => pathOfUri(uri) ?? asText(relativePath) ?? [])
  const selected = [...objectsIn(context.selections), ...objectsIn(context.terminalSelections)]
  const texts = selected.flatMap(({ text, rawText, uri }) => {
    const words = asText(text) ?? asText(rawText)
    const path = pathOfUri(uri)
    return words === undefined ? [] : [path === undefined ? words : `${path}:\n${words}`]
  })
  return [...new Set([...paths, ...texts])].join('\n')
}

function readAssistant(state: CursorState, bubble: JsonObject, at: SourcePosition, fallback?: string): void {
  const { out, agent } = state
  const model = asText(asObject(bubble.modelInfo)?.modelName)
  const named = model === undefined || model === 'default' ? fallback : model
  const thought = asText(asObject(bubble.thinking)?.text) ?? asText(bubble.thinking)
  if (thought !== undefined) write(state, { type: 'reasoning', text: thought }, at)
  const text = asText(bubble.text)
  const isCompaction = bubble.capabilityType === compaction
  if (isCompaction) write(state, { type: 'compaction', text: text ?? '' }, at)
  else if (text !== undefined) write(state, { type: 'assistant', text, ...known({ model: named }) }, at)
  const fault = faultOf(bubble.errorDetails)
  if (fault !== '') write(state, { type: 'context', origin: 'harness', name: 'error', text: fault }, at)
  const usage = usageOf(bubble.tokenCount)
  const id = asText(bubble.bubbleId) ?? `${at.file}:${at.line}`
  if (usage !== undefined) out.usage(id, agent, named ?? 'unknown', usage)
}

/** The editor's number for a message that marks its own compaction. */
const compaction = 22

/** The message of an error that ended the answer, as the editor shows it. */
function faultOf(value: unknown): string {
  const details = asObject(asObject(asObject(value)?.error)?.details)
  return [asText(details?.title), asText(details?.detail)].filter((part) => part !== undefined).join(': ')
}

/** Tokens of a message; most have only zeros, which say nothing. */
function usageOf(value: unknown): TokenUsage | undefined {
  const count = asObject(value)
  const inputTokens = asCount(count?.inputTokens)
  const outputTokens = asCount(count?.outputTokens)
  return (inputTokens ?? 0) + (outputTokens ?? 0) === 0 ? undefined : known({ inputTokens, outputTokens })
}

/** The words in the state of a Lexical editor (https://lexical.dev), a paragraph a line; other text unchanged. */
function richTextOf(value: unknown): string {
  const text = asText(value) ?? ''
  const root = asObject(asObject(parseShallow(text))?.root)
  if (root === undefined) return text.startsWith('{') ? '' : text
  return asList(root.children)
    .map((paragraph) => wordsIn(paragraph))
    .join('\n')
    .trim()
}

function wordsIn(node: unknown): string {
  const fields = asObject(node)
  if (fields?.type === 'linebreak') return '\n'
  return asText(fields?.text) ?? asList(fields?.children).map(wordsIn).join('')
}
