import type { SourcePosition } from '../../../session/event.ts'
import { asObject, type JsonObject } from '../../../session/json-values.ts'
import { known } from '../../../session/known.ts'
import { parseShallow } from '../../log/parse-line.ts'
import { type CursorState, write } from '../state.ts'
import { readBubble } from './bubble-events.ts'
import { bubbleTool } from './bubble-tool.ts'
import { type Composer, timeOf } from './composers.ts'

/** A message as the database holds it. */
export interface StoredBubble {
  readonly text: string
  readonly at: SourcePosition
}

/** What the events of a conversation are made of. */
export interface ConversationParts {
  readonly state: CursorState
  readonly composers: ReadonlyMap<string, Composer>
  /** By `conversation:message`. */
  readonly bubbles: ReadonlyMap<string, StoredBubble>
  /** Texts of edited files, by key. */
  readonly contents: ReadonlyMap<string, string>
  /** The conversations begun so far, as those of subagents may refer to each other. */
  readonly written: Set<string>
}

/** Writes the events of a conversation, those of its subagents within the calls that started them. */
export function writeConversation(composer: Composer, parts: ConversationParts): void {
  const { state, composers, bubbles } = parts
  let missing = 0
  for (const [index, { id, inline, time }] of composer.bubbles.entries()) {
    const stored = bubbles.get(`${composer.id}:${id}`)
    const bubble = inline ?? asObject(parseShallow(stored?.text ?? ''))
    if (bubble === undefined) {
      missing++
      continue
    }
    const at = stored?.at ?? composer.at
    state.time = timeOf(bubble.createdAt) ?? time ?? edgeTime(composer, index)
    readBubble(state, bubble, at, composer.model)
    const tool = asObject(bubble.toolFormerData)
    if (tool !== undefined) writeTool(tool, at, parts)
  }
  for (const child of composers.values()) {
    const isOwn = child.parent === composer.id || composer.children.includes(child.id)
    if (isOwn) writeSubagent(child, child.callId, child.at, parts)
  }
  if (missing > 0)
    state.out.note('missing-message', `${missing} messages of session ${composer.id} are not in the database`)
}

/** The times of the conversation, for its first and last message: many have none of their own. */
function edgeTime({ bubbles, startedAt, endedAt }: Composer, index: number): string | undefined {
  if (index === 0) return startedAt
  return index === bubbles.length - 1 ? endedAt : undefined
}

function writeTool(data: JsonObject, at: SourcePosition, parts: ConversationParts): void {
  const { state, composers, contents } = parts
  const tool = bubbleTool(data, contents)
  if (tool === undefined) return
  state.calls++
  const callId = state.newCallId(tool.id, `call-${state.calls}`)
  write(state, { ...tool.call, callId }, at)
  const child = composers.get(tool.child ?? '')
  if (child !== undefined) writeSubagent(child, callId, at, parts)
  if (tool.result === undefined) return
  state.results = true
  write(state, { type: 'tool_result', callId, ...tool.result }, at)
}

function writeSubagent(
  child: Composer,
  callId: string | undefined,
  at: SourcePosition,
  parts: ConversationParts,
): void {
  const { state, written } = parts
  if (written.has(child.id)) return
  written.add(child.id)
  const { agent: parent, time } = state
  const link = { child: child.id, ...known({ callId }) }
  state.out.agent({ id: child.id, parent, callId, type: child.type, title: child.title })
  write(state, { type: 'subagent_start', ...link }, at)
  state.agent = child.id
  writeConversation(child, parts)
  state.agent = parent
  state.time = time
  write(state, { type: 'subagent_end', ...link }, at)
}
