import type { SourcePosition } from '../../../session/event.ts'
import { asObject, asText, type JsonObject, objectsIn } from '../../../session/json-values.ts'
import { known } from '../../../session/known.ts'
import { textOf } from '../../../session/plain-value.ts'
import { parseShallow } from '../../log/parse-line.ts'
import { chooseSession } from '../../reader/choose-session.ts'
import type { LogRow, SessionListing } from '../../reader/reader.ts'
import { timeOfMillis } from '../../shared/time.ts'
import { byKind } from '../../shared/writer.ts'
import type { CursorState, DatabaseReading } from '../rows.ts'
import { writeUserText } from '../transcript.ts'

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
  return known<SessionListing>({
    id,
    // The name until the model gave it another.
    title: title === 'New Agent' ? undefined : title,
    startedAt: timeOfMillis(Number(meta.createdAt)),
    cwd: asText(meta.workspacePath),
    revision: asText(meta.latestRootBlobId),
  })
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
      out.meta({ id: chat?.id, title: chat?.title, cwd, models: [asText(meta.lastUsedModel)] })
      for (const message of chosen) writeMessage(state, message)
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

function writeMessage(state: CursorState, { message, at }: StoredMessage): void {
  const { content, createdAt, providerOptions, role } = message
  const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : objectsIn(content)
  state.at = at
  state.time = timeOfMillis(createdAt)
  state.model = asText(asObject(asObject(providerOptions)?.cursor)?.modelName)
  const texts = parts.flatMap((part) => (part.type === 'text' || role === 'system' ? textOf(part.text) : []))
  const images = parts.filter(({ type }) => type === 'image').length
  if (role === 'user') writeUserText(state, texts.join('\n'), images)
  else if (role === 'system') state.context('system', 'system prompt', texts.join('\n'))
  else for (const part of parts) if (!readPart(state, part.type, part)) state.other(part, textOf(part.type))
}

const readPart = byKind<CursorState>({
  text: (state, { text }) => void state.say(asText(text) ?? ''),
  reasoning: (state, { text }) => void state.think(asText(text) ?? ''),
  'redacted-reasoning': 'encrypted reasoning',
  'tool-call'(state, { args, input, toolCallId: id, toolName }) {
    state.call({ id, name: asText(toolName) ?? 'tool', input: args ?? input })
  },
  'tool-result'(state, { isError, output, result, toolCallId: id }) {
    state.results = true
    const text = outputText(result ?? output)
    state.result(state.take(id), { status: isError === true ? 'error' : 'ok', text }, id)
  },
})

/** The text of a result: itself, the value of an output of the AI SDK, or JSON. */
function outputText(result: unknown): string {
  const fields = asObject(result)
  return textOf(fields !== undefined && 'value' in fields && 'type' in fields ? fields.value : result)
}

/**
 * The values of one field of bytes in a message of Protocol Buffers, in order; none if it is damaged.
 * https://protobuf.dev/programming-guides/encoding
 */
export function bytesInField(message: Uint8Array, field: number): Uint8Array[] {
  const found: Uint8Array[] = []
  let at = 0

  function varint(): number {
    let value = 0
    for (let scale = 1; at < message.length && scale < 2 ** 53; scale *= 128) {
      const byte = message[at++] ?? 0
      value += (byte & 0x7f) * scale
      if (byte < 0x80) return value
    }
    return Number.NaN
  }

  while (at < message.length) {
    const tag = varint()
    const wireType = tag % 8
    if (wireType === 0) varint()
    else if (wireType === 1) at += 8
    else if (wireType === 5) at += 4
    else if (wireType === 2) {
      const length = varint()
      // Also if it is not a number.
      if (!(at + length <= message.length)) return []
      if (Math.floor(tag / 8) === field) found.push(message.subarray(at, at + length))
      at += length
    } else return []
  }
  return found
}
