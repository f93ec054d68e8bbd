import { asList, asObject, asText, type JsonObject } from '../../session/json-values.ts'
import { readMessage } from './messages.ts'
import { type GeminiState, write } from './state.ts'

/** `{"$rewindTo": id}`: takes back that message and everything after it; all messages if the id is not known. */
export function readRewind(state: GeminiState, id: string): void {
  const { out, messages } = state
  const at = state.live.indexOf(id)
  if (at === -1)
    out.note('rewind-unknown', 'a rewind does not name a message of this log: all were taken back')
  const removed = state.live.splice(Math.max(0, at))
  const turns = removed.reduce((sum, name) => sum + (messages.get(name)?.users ?? 0), 0)
  for (const name of removed) messages.delete(name)
  if (state.agent !== 'main') {
    out.note('rewind-subagent', 'messages of a subagent were taken back')
    return
  }
  out.rewind(turns)
  write(state, { type: 'rewind', turns })
  state.turns.splice(Math.max(0, state.turns.length - turns))
  state.rewound = true
}

/** `{"$set": {...}}`: new values of the header; `messages` replaces the history, as a compression does. */
export function readUpdate(state: GeminiState, update: JsonObject): void {
  const { out } = state
  const title = asText(update.summary)
  if (title !== undefined && state.agent === 'main') out.meta({ title })
  if (Array.isArray(update.messages)) readHistory(state, update.messages.map(asObject))
  out.absorb('session metadata')
}

/** New user messages in place of dropped ones, before the kept ones, are their summary. */
function readHistory(state: GeminiState, list: readonly (JsonObject | undefined)[]): void {
  const ids = list.map((message) => asText(message?.id) ?? '')
  const named = new Set(ids)
  const dropped = state.live.filter((id) => !named.has(id)).length
  // The harness's own first message stays in its place.
  const start = ids.findIndex((id, index) => id === '' || id !== state.live[index])
  const kept = ids.findIndex((id, index) => index >= start && state.messages.has(id))
  const head = kept === -1 ? list.length : kept
  const isSummary = (index: number): boolean =>
    dropped > 0 && index >= start && index < head && !state.messages.has(ids[index] ?? '')
  const summary = list
    .filter((message, index) => isSummary(index) && message?.type === 'user')
    .flatMap((message) => textOf(message?.content))
  if (summary.length > 0) {
    write(state, { type: 'compaction', text: summary.join('\n').trim() }, asText(list[0]?.timestamp))
  }
  for (const [index, message] of list.entries()) {
    if (message === undefined) write(state, { type: 'other', name: 'message', raw: message })
    // The harness writes the model's answer to the summary.
    else if (isSummary(index) && summary.length > 0) remember(state, ids[index] ?? '')
    else if (!readMessage(state, message, true))
      write(state, { type: 'other', name: 'message', raw: message })
  }
  state.live = ids.filter((id) => state.messages.has(id))
}

function remember(state: GeminiState, id: string): void {
  if (id !== '') state.messages.set(id, { id, text: '', thoughts: 0, users: 0 })
}

function textOf(content: unknown): string[] {
  if (typeof content === 'string') return [content]
  return asList(content).flatMap((part) => asText(asObject(part)?.text) ?? [])
}
