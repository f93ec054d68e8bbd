import { asCount, asList, asObject, asText, type JsonObject } from '../../session/json-values.ts'
import { type CopilotState, write, writeOnce } from './state.ts'
import { readRequest } from './tools.ts'
import { countResponse } from './usage.ts'

/**
 * Reads a prompt. `content` is what was typed, `transformedContent` what the model got, with the time and reminders of
 * the harness around it. Prompts of the harness itself have no content of their own, or name their source.
 */
export function readUser(state: CopilotState, data: JsonObject): void {
  const content = asText(data.content) ?? ''
  const whole = asText(data.transformedContent) ?? ''
  const source = asText(data.source)
  const { images, texts } = readAttachments(data.attachments)
  const byAgent = state.agent !== 'main' || source?.startsWith('agent-') === true
  const byPerson = !byAgent && (source === undefined || source === 'user' || source.startsWith('command'))
  if (byAgent && content !== '')
    write(state, { type: 'context', origin: 'agent', name: 'task', text: content, ...imagesOf(images) })
  else if (byPerson && (content.trim() !== '' || images > 0)) {
    state.userTurns++
    const origin = source?.startsWith('command') ? 'command' : queued(data) ? 'queued' : 'typed'
    write(state, { type: 'user', origin, text: content, ...imagesOf(images) })
  } else if (content.trim() !== '' && whole === '')
    writeOnce(
      state,
      { type: 'context', origin: 'harness', name: source ?? 'prompt', text: content },
      repeated,
    )
  for (const text of texts) write(state, { type: 'context', origin: 'attachment', name: 'file', text })
  const around = withoutTime(byPerson || byAgent ? surroundings(content, whole) : whole)
  const name = byPerson && content.trim() === '' ? 'continuation' : (source ?? 'reminder')
  writeOnce(
    state,
    { type: 'context', origin: 'harness', name: byAgent ? 'reminder' : name, text: around },
    repeated,
  )
}

const repeated = 'repeated context'

function queued(data: JsonObject): boolean {
  return data.delivery === 'steering' || data.delivery === 'queued'
}

function imagesOf(images: number): { images?: number } {
  return images > 0 ? { images } : {}
}

/** Text that the harness put before and after the user's text. */
function surroundings(content: string, whole: string): string {
  const at = content === '' ? -1 : whole.indexOf(content)
  if (at === -1) return content === '' ? whole : ''
  return `${whole.slice(0, at).trim()}\n${whole.slice(at + content.length).trim()}`.trim()
}

/** Removes the time: events have their own. */
function withoutTime(text: string): string {
  return text.replace(/<current_datetime>[^<]{0,60}<\/current_datetime>/g, '').trim()
}

function readAttachments(value: unknown): { images: number; texts: string[] } {
  let images = 0
  const texts: string[] = []
  for (const item of asList(value)) {
    const attachment = asObject(item)
    const path = asText(attachment?.path) ?? asText(attachment?.filePath) ?? asText(attachment?.displayName)
    const kind = `${asText(attachment?.type) ?? ''} ${asText(attachment?.mimeType) ?? ''} ${path ?? ''}`
    if (/\bimage\b|\.(?:png|jpe?g|gif|webp)$/i.test(kind)) images++
    else {
      const text = [path, asText(attachment?.text), asText(attachment?.title), asText(attachment?.url)]
      const known = text.filter((part) => part !== undefined).join('\n')
      texts.push(known === '' ? JSON.stringify(item) : known)
    }
  }
  return { images, texts }
}

/** Reads a response of the model: thoughts, text, then its tool calls. */
export function readAssistant(state: CopilotState, data: JsonObject): void {
  const { out } = state
  const model = asText(data.model) ?? (state.agent === 'main' ? state.model : undefined)
  const thoughts = asText(data.reasoningText)
  const content = asText(data.content)
  if (thoughts !== undefined && thoughts.trim() !== '') write(state, { type: 'reasoning', text: thoughts })
  else if (data.reasoningOpaque !== undefined || data.encryptedContent !== undefined)
    out.absorb('encrypted reasoning')
  if (content !== undefined && content.trim() !== '')
    write(state, { type: 'assistant', text: content, ...(model !== undefined && { model }) })
  for (const request of asList(data.toolRequests)) readRequest(state, request, model)
  const key = asText(data.apiCallId) ?? asText(data.messageId) ?? `response-${state.run.size} ${state.time}`
  const outputTokens = state.recorded.has(key) ? undefined : asCount(data.outputTokens)
  if (outputTokens !== undefined) countResponse(state, key, state.agent, model ?? 'unknown', { outputTokens })
  out.absorb('empty response')
}

/** Reads a system prompt; if it is given again, only its new lines. */
export function readSystemPrompt(state: CopilotState, data: JsonObject): boolean {
  const { content } = data
  if (typeof content !== 'string') return false
  const known = state.systemLines
  const first = known.size === 0
  const lines = content.split('\n')
  const fresh = first ? lines : lines.filter((line) => line.trim() !== '' && !known.has(line))
  for (const line of lines) known.add(line)
  const text = fresh.join('\n')
  if (text.trim() === '') state.out.absorb('repeated context')
  else
    write(state, {
      type: 'context',
      origin: data.role === 'developer' ? 'harness' : 'system',
      name: first ? 'system prompt' : 'new lines of the system prompt',
      text,
    })
  return true
}
