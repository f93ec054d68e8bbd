import type { ContextEvent } from '../../session/event.ts'
import { asList, asObject, asText, type JsonObject } from '../../session/json-values.ts'
import { type CodexState, isRepeat, write } from './state.ts'
import { noteNotification } from './subagents.ts'
import {
  type CodexUserPiece,
  elementText,
  isImageWrapper,
  programPiece,
  promptPieces,
  standingKey,
} from './user-text.ts'

/** Place in the log that this copy of a text comes from. */
export type CodexChannel = 'item' | 'event' | 'turn-end' | 'view'

interface Content {
  readonly texts: readonly string[]
  readonly images: number
  readonly unknown: readonly unknown[]
}

/** Reads a `message` item of the user, the model, or a program. */
export function readMessage(state: CodexState, item: JsonObject): boolean {
  const content = readContent(item.content)
  if (content === undefined) return false
  const { texts, images } = content
  if (item.role === 'assistant') readAnswer(state, texts.join('\n'), item.phase, 'item')
  else if (item.role === 'user') readUserParts(state, texts, images, 'item')
  else if (item.role === 'developer' || item.role === 'system') {
    for (const text of texts) writeContext(state, systemPiece(text))
  } else return false
  for (const raw of content.unknown) write(state, { type: 'other', name: 'message-part', raw })
  if (texts.length === 0 && images === 0) state.out.absorb('empty message')
  return true
}

/** Writes text of the model; the first of its several copies counts. */
export function readAnswer(state: CodexState, text: string, phase: unknown, channel: CodexChannel): void {
  if (text.trim() === '') {
    state.out.absorb('empty message')
    return
  }
  if (isRepeat(state, 'assistant', channel, text)) {
    state.out.absorb('repeated assistant text')
    return
  }
  state.working = true
  const { model } = state
  write(state, {
    type: 'assistant',
    text,
    ...(model !== undefined && { model }),
    ...(phase === 'commentary' && { phase: 'commentary' as const }),
    ...((phase === 'final_answer' || phase === 'final') && { phase: 'final' as const }),
  })
}

/** Writes texts under the user's name: those that programs inserted part by part, and the rest as one prompt. */
export function readUserParts(
  state: CodexState,
  texts: readonly string[],
  images: number,
  channel: CodexChannel,
): void {
  const typed: string[] = []
  for (const text of texts) {
    if (isImageWrapper(text)) continue
    const piece = programPiece(text)
    if (piece === undefined) typed.push(text)
    else if (isRepeat(state, 'user', channel, text)) state.out.absorb('repeated user message')
    else writeContext(state, piece)
  }
  const text = typed.join('\n')
  if (text.trim() === '' && images === 0) {
    state.out.absorb('empty message')
    return
  }
  if (isRepeat(state, 'user', channel, text)) {
    state.out.absorb('repeated user message')
    return
  }
  writePrompt(state, promptPieces(text), images)
}

function writePrompt(state: CodexState, pieces: readonly CodexUserPiece[], images: number): void {
  const queued = state.hasTurns && state.working
  const counted = images > 0 ? { images } : {}
  for (const piece of pieces) {
    if (piece.by === 'program') writeContext(state, piece)
    else if (state.isSubagent && !state.copy.active) {
      write(state, { type: 'context', origin: 'agent', name: 'task', text: piece.text, ...counted })
    } else {
      state.abortNoted = false
      write(state, { type: 'user', origin: queued ? 'queued' : 'typed', text: piece.text, ...counted })
    }
  }
}

/** Writes text of a program; only once if it is a standing instruction. */
export function writeContext(state: CodexState, piece: CodexUserPiece): void {
  if (piece.by !== 'program') return
  const { origin, name, standing, text } = piece
  const key = standing ? standingKey(text) : ''
  if (standing && (key === '' || state.contexts.has(key))) {
    state.out.absorb('repeated context')
    return
  }
  if (standing) state.contexts.add(key)
  if (name === 'environment_context') {
    const cwd = elementText(text, 'cwd')
    if (cwd) state.out.meta({ cwd })
  }
  if (name === 'turn_aborted') state.abortNoted = true
  write(state, { type: 'context', origin, name, text })
  if (name === 'subagent_notification') noteNotification(state, elementText(text, name) ?? '')
}

/** Reads a message of another agent. */
export function readAgentMessage(state: CodexState, item: JsonObject): boolean {
  const content = readContent(item.content)
  if (content === undefined) return false
  const text = content.texts.join('\n')
  if (text.trim() === '') {
    state.out.absorb('encrypted content')
    return true
  }
  if (isRepeat(state, 'agent', asText(item.type) ?? 'communication', text)) {
    state.out.absorb('repeated agent message')
    return true
  }
  const name = asText(item.author)
  write(state, { type: 'context', origin: 'agent', ...(name !== undefined && { name }), text })
  return true
}

/** Reads reasoning if it is readable; most of it is encrypted. */
export function readReasoning(state: CodexState, item: JsonObject): void {
  const parts = [...asList(item.summary), ...asList(item.content)].flatMap((part) => {
    const text = asText(asObject(part)?.text)
    return text === undefined ? [] : [text]
  })
  readThoughts(state, parts, 'item')
}

/** Writes the parts of a reasoning that are not elsewhere. */
export function readThoughts(state: CodexState, parts: readonly string[], channel: CodexChannel): void {
  const fresh = parts.filter((part) => part.trim() !== '' && !isRepeat(state, 'reasoning', channel, part))
  if (fresh.length > 0) write(state, { type: 'reasoning', text: fresh.join('\n\n') })
  else state.out.absorb(parts.length > 0 ? 'repeated reasoning' : 'encrypted reasoning')
}

function systemPiece(text: string): CodexUserPiece {
  const tag = /^<([a-zA-Z][\w -]{0,60})>/.exec(text)?.[1]
  const origin: ContextEvent['origin'] = 'system'
  return { by: 'program', text, origin, name: tag ?? 'developer', standing: true }
}

function readContent(content: unknown): Content | undefined {
  if (typeof content === 'string') return { texts: [content], images: 0, unknown: [] }
  if (!Array.isArray(content)) return undefined
  const texts: string[] = []
  const unknown: unknown[] = []
  let images = 0
  for (const part of content) {
    const object = asObject(part)
    const text = asText(object?.text) ?? asText(object?.refusal)
    if (text !== undefined) texts.push(text)
    else if (typeof part === 'string') texts.push(part)
    else if (object?.type === 'input_image' || object?.type === 'image')
      images += object.image_url === null ? 0 : 1
    else if (object?.type !== 'encrypted_content' && object?.text !== '') unknown.push(part)
  }
  return { texts, images, unknown }
}
