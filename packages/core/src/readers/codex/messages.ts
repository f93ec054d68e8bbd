import { asList, asObject, asText, type JsonObject } from '../../session/json-values.ts'
import { type CodexState, isRepeat, noteNotification } from './state.ts'
import {
  type CodexPiece,
  elementText,
  isImageWrapper,
  programPiece,
  splitPrompt,
  standingKey,
} from './user-text.ts'

/** Place in the log that this copy of a text comes from. */
export type CodexChannel = 'item' | 'event' | 'turn-end' | 'view'

export function readMessage(state: CodexState, item: JsonObject): boolean {
  const content = readContent(item.content)
  if (content === undefined) return false
  const { texts, images } = content
  if (item.role === 'assistant') readAnswer(state, texts.join('\n'), item.phase, 'item')
  else if (item.role === 'user') readUserParts(state, texts, images, 'item')
  else if (item.role === 'developer' || item.role === 'system')
    for (const text of texts) readSystem(state, text)
  else return false
  for (const raw of content.unknown) state.other(raw, 'message-part')
  if (texts.length === 0 && images === 0) state.out.absorb('empty message')
  return true
}

function readSystem(state: CodexState, text: string): void {
  const name = /^<([a-zA-Z][\w -]{0,60})>/.exec(text)?.[1] ?? 'developer'
  writeContext(state, { text, origin: 'system', name, standing: true })
}

/** Writes text of the model; the first of its several copies counts. */
export function readAnswer(state: CodexState, text: string, given: unknown, channel: CodexChannel): void {
  if (text.trim() !== '' && isRepeat(state, 'assistant', channel, text)) {
    state.out.absorb('repeated assistant text')
    return
  }
  const isFinal = given === 'final_answer' || given === 'final'
  const phase = isFinal ? 'final' : given === 'commentary' ? given : undefined
  if (state.say(text, { phase })) state.working = true
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
  if (text.trim() === '' && images === 0) state.out.absorb('empty message')
  else if (isRepeat(state, 'user', channel, text)) state.out.absorb('repeated user message')
  else {
    const { editor, words } = splitPrompt(text)
    if (editor !== undefined) writeContext(state, editor)
    if (words !== '' || images > 0) writePrompt(state, words, images)
  }
}

function writePrompt(state: CodexState, words: string, images: number): void {
  state.byAgent = state.isSubagent && !state.copied
  if (!state.byAgent) state.abortNoted = false
  state.ask(words, { origin: state.hasTurns && state.working ? 'queued' : 'typed', images })
}

/** Writes text of a program; only once if it is a standing instruction. */
export function writeContext(state: CodexState, piece: CodexPiece): void {
  const { origin, name, standing, text } = piece
  const key = standing ? standingKey(text) : ''
  if (standing && (key === '' || !state.isNew(key))) {
    state.out.absorb('repeated context')
    return
  }
  if (name === 'environment_context') state.out.meta({ cwd: elementText(text, 'cwd') || undefined })
  if (name === 'turn_aborted') state.abortNoted = true
  state.context(origin, name, text)
  if (name === 'subagent_notification') noteNotification(state, elementText(text, name) ?? '')
}

export function readAgentMessage(state: CodexState, item: JsonObject): boolean {
  const content = readContent(item.content)
  if (content === undefined) return false
  const text = content.texts.join('\n')
  if (text.trim() === '') state.out.absorb('encrypted content')
  else if (isRepeat(state, 'agent', asText(item.type) ?? 'communication', text))
    state.out.absorb('repeated agent message')
  else state.context('agent', asText(item.author), text)
  return true
}

/** Reads reasoning if it is readable; most of it is encrypted. */
export function readReasoning(state: CodexState, item: JsonObject): void {
  const parts = [...asList(item.summary), ...asList(item.content)]
  const texts = parts.flatMap((part) => asText(asObject(part)?.text) ?? [])
  readThoughts(state, texts, 'item')
}

/** Writes the parts of a reasoning that are not elsewhere. */
export function readThoughts(state: CodexState, parts: readonly string[], channel: CodexChannel): void {
  const fresh = parts.filter((part) => part.trim() !== '' && !isRepeat(state, 'reasoning', channel, part))
  if (fresh.length === 0 && parts.length > 0) state.out.absorb('repeated reasoning')
  else state.think(fresh.join('\n\n'))
}

function readContent(content: unknown) {
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
