import * as json from '../../session/json.ts'
import { contentParts } from '../shared/values.ts'
import { isRepeat, noteNotification, type CodexState as State } from './state.ts'
import { type CodexPiece, elementText, programPiece, splitPrompt, standingKey } from './user-text.ts'

type CodexChannel = 'item' | 'event' | 'turn-end' | 'view'

export function readMessage(state: State, item: json.Fields): boolean {
  const content = readContent(item.content)
  if (content === undefined) return false
  const { texts, images, others } = content
  if (item.role === 'assistant') readAnswer(state, texts.join('\n'), item.phase, 'item')
  else if (item.role === 'user') readUserParts(state, texts, images, 'item')
  else if (item.role === 'developer' || item.role === 'system')
    for (const text of texts) {
      const name = /^<([a-zA-Z][\w -]{0,60})>/.exec(text)?.[1] ?? 'developer'
      writeContext(state, { text, origin: 'system', name, standing: true })
    }
  else return false
  for (const raw of others) state.other(raw, 'message-part')
  if (texts.length === 0 && images === 0) state.out.absorb('empty message')
  return true
}

export function readAnswer(state: State, text: string, given: unknown, channel: CodexChannel): void {
  if (text.trim() !== '' && isRepeat(state, 'assistant', channel, text)) {
    state.out.absorb('repeated assistant text')
    return
  }
  const isFinal = given === 'final_answer' || given === 'final'
  const phase = isFinal ? 'final' : given === 'commentary' ? given : undefined
  if (state.say(text, { phase })) state.working = true
}

export function readUserParts(state: State, texts: readonly string[], images: number, channel: CodexChannel) {
  const typed: string[] = []
  for (const text of texts) {
    if (text === '</image>' || /^<image(?: [^>]{0,200})?>$/.test(text)) continue
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
    if (words === '' && images === 0) return
    state.byAgent = state.isSubagent && !state.copied
    if (!state.byAgent) state.abortNoted = false
    state.ask(words, { origin: state.hasTurns && state.working ? 'queued' : 'typed', images })
  }
}

export function writeContext(state: State, { origin, name, standing, text }: CodexPiece): void {
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

export function readAgentMessage(state: State, item: json.Fields): boolean {
  const content = readContent(item.content)
  if (content === undefined) return false
  const text = content.texts.join('\n')
  if (text.trim() === '') state.out.absorb('encrypted content')
  else if (isRepeat(state, 'agent', json.text(item.type) ?? 'communication', text))
    state.out.absorb('repeated agent message')
  else state.context('agent', json.text(item.author), text)
  return true
}

export function readReasoning(state: State, item: json.Fields): void {
  const parts = [...json.list(item.summary), ...json.list(item.content)]
  readThoughts(state, json.texts(parts.map((part) => json.at(part, 'text'))), 'item')
}

export function readThoughts(state: State, parts: readonly string[], channel: CodexChannel): void {
  const fresh = parts.filter((part) => part.trim() !== '' && !isRepeat(state, 'reasoning', channel, part))
  if (fresh.length === 0 && parts.length > 0) state.out.absorb('repeated reasoning')
  else state.think(fresh.join('\n\n'))
}

function readContent(content: unknown): ReturnType<typeof contentParts> | undefined {
  if (typeof content !== 'string' && !Array.isArray(content)) return undefined
  const isLeftOut = (part: unknown): boolean => {
    const { image_url, text, type } = json.fields(part)
    return text === '' || type === 'encrypted_content' || (type === 'input_image' && image_url === null)
  }
  return contentParts(Array.isArray(content) ? content.filter((part) => !isLeftOut(part)) : content)
}
