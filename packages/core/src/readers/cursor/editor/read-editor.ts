import type { SourcePosition } from '../../../session/event.ts'
import {
  asCount,
  asList,
  asObject,
  asText,
  type JsonObject,
  objectsIn,
} from '../../../session/json-values.ts'
import { parseShallow } from '../../log/parse-line.ts'
import { chooseSession } from '../../reader/choose-session.ts'
import type { LogRow } from '../../reader/reader.ts'
import { pathOfUri } from '../../shared/path-of-uri.ts'
import { type CursorState, type DatabaseReading, keysFrom, messagesOf, rowText } from '../rows.ts'
import { writeUserText } from '../transcript.ts'
import { bubbleTool } from './bubble-tool.ts'
import { type Composer, collectComposers, rootsOf, timeOf } from './composers.ts'

/** What the events of a conversation are made of. */
interface ConversationParts {
  readonly state: CursorState
  readonly composers: ReadonlyMap<string, Composer>
  /** Messages by `conversation:message`. */
  readonly bubbles: ReadonlyMap<string, { readonly text: string; readonly at: SourcePosition }>
  /** Texts of edited files, by key. */
  readonly contents: ReadonlyMap<string, string>
  /** The conversations begun so far, as those of subagents may refer to each other. */
  readonly written: Set<string>
}

/** Begins to read the conversation asked for, or else the one changed last. */
export function readEditor(state: CursorState): DatabaseReading {
  const { out } = state
  const store = collectComposers()
  const bubbles = new Map<string, { text: string; at: SourcePosition }>()
  const contents = new Map<string, string>()
  const asked = new Set<string>()
  let composers: ReadonlyMap<string, Composer> | undefined
  let chosen: Composer | undefined
  let wanted: ReadonlySet<string> = new Set()

  /** Chooses the session once the metadata of all are known, and asks for the messages of its subagents. */
  function choose(): void {
    composers = store.composers()
    const roots = rootsOf([...composers.values()])
    const isRoot = roots.some(({ id }) => id === out.sessionId)
    chosen = (isRoot ? undefined : composers.get(out.sessionId ?? '')) ?? chooseSession(roots, out)
    if (chosen === undefined) return
    wanted = withSubagents(chosen, composers)
    if (out.sessionId === undefined) return
    for (const id of wanted) if (id !== chosen.id) out.alsoRead(keysFrom(messagesOf(id)))
  }

  function message(name: string, row: LogRow, at: SourcePosition): void {
    const [, composer = '', bubble = ''] = name.split(':')
    if (!wanted.has(composer)) {
      out.absorb('message of another session')
      return
    }
    const text = rowText(row)
    bubbles.set(`${composer}:${bubble}`, { text, at })
    out.absorb('message, read with its session')
    for (const [content] of text.matchAll(/composer\.content\.[\da-f]{64}/g)) {
      if (asked.has(content)) continue
      asked.add(content)
      out.alsoRead({ table: 'cursorDiskKV', column: 'key', from: content, below: `${content}\0` })
    }
  }

  return {
    row(row, at) {
      const name = asText(row.row.key) ?? ''
      if (row.table === 'composerHeaders' || name.startsWith('composerData:')) {
        store.add(row, at)
        out.absorb('session metadata')
      } else if (name.startsWith('bubbleId:')) {
        if (composers === undefined) choose()
        message(name, row, at)
      } else {
        contents.set(name, rowText(row))
        out.absorb('contents of an edited file')
      }
    },
    finish() {
      if (composers === undefined) choose()
      if (composers === undefined || chosen === undefined) return
      const { id, title, cwd, branch, model } = chosen
      out.meta({ id, title, cwd, branch, models: [model] })
      writeConversation(chosen, { state, composers, bubbles, contents, written: new Set([id]) })
    },
  }
}

/** The ids of a conversation and of the subagents below it. */
function withSubagents(root: Composer, composers: ReadonlyMap<string, Composer>): Set<string> {
  const ids = new Set([root.id])
  for (const id of ids) {
    for (const child of composers.get(id)?.children ?? []) if (composers.has(child)) ids.add(child)
    for (const { id: child, parent } of composers.values()) if (parent === id) ids.add(child)
  }
  return ids
}

/** Writes the events of a conversation, those of its subagents within the calls that started them. */
function writeConversation(composer: Composer, parts: ConversationParts): void {
  const { state, composers, bubbles } = parts
  let missing = 0
  for (const [index, { id, inline, time }] of composer.bubbles.entries()) {
    const stored = bubbles.get(`${composer.id}:${id}`)
    const bubble = inline ?? asObject(parseShallow(stored?.text ?? ''))
    if (bubble === undefined) {
      missing++
      continue
    }
    state.at = stored?.at ?? composer.at
    state.time = timeOf(bubble.createdAt) ?? time ?? edgeTime(composer, index)
    state.model = undefined
    if (bubble.type === 1) readUser(state, bubble)
    else if (bubble.type === 2) readAssistant(state, bubble, composer.model)
    else state.other({ type: bubble.type, text: bubble.text }, 'message')
    const tool = asObject(bubble.toolFormerData)
    if (tool !== undefined) writeTool(tool, parts)
  }
  for (const child of composers.values()) {
    state.at = child.at
    const isOwn = child.parent === composer.id || composer.children.includes(child.id)
    if (isOwn) writeSubagent(child, child.callId, parts)
  }
  if (missing > 0)
    state.out.note('missing-message', `${missing} messages of session ${composer.id} are not in the database`)
}

/** The times of the conversation, for its first and last message: many have none of their own. */
function edgeTime({ bubbles, startedAt, endedAt }: Composer, index: number): string | undefined {
  if (index === 0) return startedAt
  return index === bubbles.length - 1 ? endedAt : undefined
}

function writeTool(data: JsonObject, parts: ConversationParts): void {
  const { state, composers, contents } = parts
  const tool = bubbleTool(data, contents)
  if (tool === undefined) return
  const { id, input, kind, name } = tool
  const call = state.call({ id, name, kind, input })
  const child = composers.get(tool.child ?? '')
  if (child !== undefined) writeSubagent(child, call.callId, parts)
  if (tool.result === undefined) return
  state.results = true
  state.result(call, tool.result)
}

function writeSubagent(child: Composer, callId: string | undefined, parts: ConversationParts): void {
  const { state, written } = parts
  if (written.has(child.id)) return
  written.add(child.id)
  const { agent, at, time } = state
  state.begin(child.id, { callId, type: child.type, title: child.title })
  state.agent = child.id
  writeConversation(child, parts)
  Object.assign(state, { agent, at, time })
  state.end(child.id, callId)
}

function readUser(state: CursorState, bubble: JsonObject): void {
  writeUserText(state, asText(bubble.text) ?? richTextOf(bubble.richText), asList(bubble.images).length)
  state.context('attachment', 'attached', attachmentsOf(asObject(bubble.context) ?? {}))
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

/** The editor's number for a message that marks its own compaction. */
const compaction = 22

/** Reads what the agent thought and said; `fallback` is the model of the conversation. */
function readAssistant(state: CursorState, bubble: JsonObject, fallback?: string): void {
  const { at } = state
  const model = asText(asObject(bubble.modelInfo)?.modelName)
  state.model = model === undefined || model === 'default' ? fallback : model
  state.think(asText(asObject(bubble.thinking)?.text) ?? asText(bubble.thinking) ?? '')
  const text = asText(bubble.text) ?? ''
  if (bubble.capabilityType === compaction) state.write({ type: 'compaction', text })
  else state.say(text)
  // An error that ended the answer, as the editor shows it.
  const details = asObject(asObject(asObject(bubble.errorDetails)?.error)?.details)
  const fault = [details?.title, details?.detail].flatMap((part) => asText(part) ?? []).join(': ')
  state.context('harness', 'error', fault)
  const { inputTokens, outputTokens } = asObject(bubble.tokenCount) ?? {}
  // Most have only zeros, which say nothing.
  if (!asCount(inputTokens) && !asCount(outputTokens)) return
  state.usage(asText(bubble.bubbleId) ?? `${at.file}:${at.line}`, { inputTokens, outputTokens })
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
