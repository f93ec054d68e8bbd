import { asObject, asText, type JsonObject } from '../../session/json-values.ts'
import { type CopilotState, write, writeOnce } from './state.ts'

/** Reads kinds that report something to the model or the user in one text. Returns `false` for all other kinds. */
export function readNotice(state: CopilotState, type: string, data: JsonObject): boolean {
  switch (type) {
    case 'system.notification':
      return notice(state, 'notification', asText(asObject(data.kind)?.type) ?? type, data.content)
    case 'skill.invoked':
      return notice(state, 'attachment', `skill ${asText(data.name) ?? ''}`.trim(), data.content)
    case 'session.info':
      if (data.infoType !== 'model')
        return notice(state, 'harness', textOr(data.infoType, 'info'), data.message)
      state.out.absorb('settings')
      return true
    case 'session.warning':
      return notice(state, 'harness', textOr(data.warningType, 'warning'), data.message)
    case 'session.error':
      return notice(state, 'harness', textOr(data.errorType, 'error'), data.message)
    case 'session.handoff':
      return notice(state, 'harness', 'handoff', data.summary ?? data.context)
    case 'abort':
      return notice(state, 'harness', 'abort', data.reason)
  }
  return false
}

function textOr(value: unknown, otherwise: string): string {
  return asText(value) ?? otherwise
}

function notice(
  state: CopilotState,
  origin: 'notification' | 'attachment' | 'harness',
  name: string,
  text: unknown,
): boolean {
  if (typeof text !== 'string') return false
  const known = text.trim() === '' ? name : text
  const draft = { type: 'context', origin, name, text: known } as const
  if (origin === 'attachment') writeOnce(state, draft, 'repeated context')
  else write(state, draft)
  return true
}

/** Output of a hook: most say nothing, and a broken one says the same each time. */
export function readHookEnd(state: CopilotState, data: JsonObject): void {
  const error = asText(asObject(data.error)?.message) ?? asText(data.error)
  const texts = [error, ...outputTexts(data.output)].filter((text) => text !== undefined)
  const name = asText(data.hookType) ?? 'hook'
  writeOnce(state, { type: 'context', origin: 'hook', name, text: texts.join('\n') }, 'hook')
}

function outputTexts(output: unknown): string[] {
  if (typeof output === 'string') return [output]
  return Object.values(asObject(output) ?? {}).filter(
    (value): value is string => typeof value === 'string' && value !== '',
  )
}

/** Remembers a refusal for the result of the call; the user may give a reason. */
export function readPermission(state: CopilotState, data: JsonObject): void {
  const result = asObject(data.result)
  const callId = asText(data.toolCallId)
  const refused = asText(result?.kind)?.startsWith('denied') === true
  const feedback = asText(result?.feedback)
  if (refused && callId !== undefined) state.denied.add(callId)
  if (refused && feedback !== undefined && feedback.trim() !== '') {
    state.userTurns++
    write(state, { type: 'user', origin: 'queued', text: feedback })
  } else state.out.absorb('question to the user')
}
