import type { SourcePosition } from '../../../session/event.ts'
import { asObject, asText, type JsonObject, objectsIn } from '../../../session/json-values.ts'
import { known } from '../../../session/known.ts'
import { textOf } from '../../../session/plain-value.ts'
import { parseShallow } from '../../log/parse-line.ts'
import { chooseSession } from '../../reader/choose-session.ts'
import type { LogRow, SessionListing } from '../../reader/reader.ts'
import { timeOfMillis } from '../../shared/epoch-time.ts'
import type { DatabaseReading } from '../database-reading.ts'
import { type CursorState, write, writeCall, writeResult } from '../state.ts'
import { writeUserText } from '../user-text.ts'
import { bytesInField } from './protobuf.ts'

/** The metadata in a row of `meta`: JSON, written in hexadecimal. */
export function chatMeta({ row }: LogRow): JsonObject | undefined {
  const text = textOf(row.value)
  const isHex = /^(?:[\da-f]{2})+$/i.test(text.slice(0, 1000))
  return asObject(parseShallow(isHex ? Buffer.from(text, 'hex').toString('utf8') : text))
}

/** The chat as a session; `undefined` if the metadata do not name it. */
export function chatListing(meta: JsonObject): SessionListing | undefined {
  const id = asText(meta.agentId)
  const title = asText(meta.name)
  if (id === undefined) return undefined
  return {
    id,
    ...known({
      // The name until the model gave it another.
      title: title === 'New Agent' ? undefined : title,
      startedAt: timeOfMillis(Number(meta.createdAt)),
      cwd: asText(meta.workspacePath),
      revision: asText(meta.latestRootBlobId),
    }),
  }
}

interface StoredMessage {
  readonly message: JsonObject
  readonly at: SourcePosition
}

/** Begins to read the rows of `store.db`: messages as the AI SDK has them, and a list of their ids in Protocol Buffers. */
export function readChatStore(state: CursorState): DatabaseReading {
  const { out } = state
  const messages = new Map<string, StoredMessage>()
  const lists = new Map<string, Uint8Array>()
  let meta: JsonObject = {}
  return {
    row(row: LogRow, at: SourcePosition): void {
      if (row.table === 'meta') {
        meta = chatMeta(row) ?? meta
        out.absorb('session metadata')
        return
      }
      const id = textOf(row.row.id)
      const data = row.row.data instanceof Uint8Array ? row.row.data : Buffer.from(textOf(row.row.data))
      const message =
        data[0] === openBrace ? asObject(parseShallow(Buffer.from(data).toString('utf8'))) : undefined
      if (message === undefined) lists.set(id, data)
      else messages.set(id, { message, at })
      out.absorb(message === undefined ? 'state of the chat' : 'message, read with its session')
    },
    finish(): void {
      if (messages.size === 0) return
      const listing = chatListing(meta)
      const chat = chooseSession(listing === undefined ? [] : [listing], out)
      const listed = bytesInField(lists.get(asText(meta.latestRootBlobId) ?? '') ?? new Uint8Array(), 1)
      const ids = listed.map((bytes) => Buffer.from(bytes).toString('hex'))
      const inOrder = ids.flatMap((id) => messages.get(id) ?? [])
      if (inOrder.length === 0) out.note('unordered', 'the order of the messages is lost')
      const chosen = inOrder.length === 0 ? [...messages.values()] : inOrder
      const left = messages.size - new Set(chosen).size
      if (left > 0)
        out.note('left-messages', `${left} messages are no longer part of the conversation and were not read`)
      const cwd = chat?.cwd ?? workspaceIn(chosen)
      const model = asText(meta.lastUsedModel)
      out.meta({ id: chat?.id, title: chat?.title, cwd, models: model === undefined ? undefined : [model] })
      for (const { message, at } of chosen) writeMessage(state, message, at)
    },
  }
}

const openBrace = 0x7b

/** The folder that the CLI tells its model. */
function workspaceIn(messages: readonly StoredMessage[]): string | undefined {
  for (const { message } of messages.slice(0, 5)) {
    const path = /^Workspace Path: (.{1,1000})$/m.exec(textOf(message.content).replaceAll('\\n', '\n'))?.[1]
    if (path !== undefined) return path.trim()
  }
  return undefined
}

function writeMessage(state: CursorState, message: JsonObject, at: SourcePosition): void {
  const { role, content } = message
  const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : objectsIn(content)
  state.time = timeOfMillis(message.createdAt)
  if (role === 'user') {
    const text = parts.flatMap((part) => (part.type === 'text' ? textOf(part.text) : [])).join('\n')
    writeUserText(state, text, parts.filter(({ type }) => type === 'image').length, at)
  } else if (role === 'system') {
    const text = parts.map((part) => textOf(part.text)).join('\n')
    write(state, { type: 'context', origin: 'system', name: 'system prompt', text }, at)
  } else for (const part of parts) writePart(state, part, modelOf(message), at)
}

function modelOf({ providerOptions }: JsonObject): string | undefined {
  return asText(asObject(asObject(providerOptions)?.cursor)?.modelName)
}

function writePart(
  state: CursorState,
  part: JsonObject,
  model: string | undefined,
  at: SourcePosition,
): void {
  const text = asText(part.text)
  if (part.type === 'text') {
    if (text !== undefined) write(state, { type: 'assistant', text, ...known({ model }) }, at)
  } else if (part.type === 'reasoning') {
    if (text !== undefined) write(state, { type: 'reasoning', text }, at)
  } else if (part.type === 'tool-call') {
    writeCall(state, asText(part.toolName) ?? 'tool', part.args ?? part.input ?? null, part.toolCallId, at)
  } else if (part.type === 'tool-result') {
    const result = { text: outputText(part.result ?? part.output), failed: part.isError === true }
    writeResult(state, result, { id: asText(part.toolCallId) }, at)
  } else if (part.type === 'redacted-reasoning') state.out.absorb('encrypted reasoning')
  else write(state, { type: 'other', name: textOf(part.type), raw: part }, at)
}

/** The text of a result: itself, the value of an output of the AI SDK, or JSON. */
function outputText(result: unknown): string {
  const fields = asObject(result)
  return textOf(fields !== undefined && 'value' in fields && 'type' in fields ? fields.value : result)
}
