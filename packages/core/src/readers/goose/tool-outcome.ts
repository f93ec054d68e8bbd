import type { ToolResultEvent } from '../../session/event.ts'
import { asList, asObject, asText, type JsonObject } from '../../session/json-values.ts'
import { known } from '../../session/known.ts'
import type { Outcome } from '../shared/outcome.ts'

/** The outcome in a `toolResponse`: `{status, value}`; the value is a list of contents or holds one. */
export function gooseOutcome(result: unknown): Outcome {
  const record = asObject(result)
  if (record === undefined || (record.status === undefined && record.value === undefined)) {
    return { status: 'ok', ...contentsOf(result) }
  }
  if (record.status === 'error') {
    const text = asText(record.error) ?? JSON.stringify(record.error ?? null)
    return { status: statusOf(text, true), text }
  }
  const value = asObject(record.value)
  const { text, images } = contentsOf(value === undefined ? record.value : (value.content ?? value))
  const exitCode = exitCodeOf(asObject(value?.structuredContent), text)
  return {
    status: statusOf(text, value?.isError === true || (exitCode ?? 0) !== 0),
    text,
    ...known({ exitCode, images }),
  }
}

function statusOf(text: string, failed: boolean): ToolResultEvent['status'] {
  const start = text.slice(0, 300)
  if (/The user has declined to run this tool/i.test(start)) return 'denied'
  if (failed && /interrupted|cancelled|canceled/i.test(start)) return 'cancelled'
  return failed ? 'error' : 'ok'
}

function exitCodeOf(structured: JsonObject | undefined, text: string): number | undefined {
  const reported = structured?.exit_code ?? structured?.exitCode
  if (Number.isSafeInteger(reported)) return Number(reported)
  const printed = /\b(?:exit code|exit status|exited with code|exited with status):? (-?\d{1,10})\s*$/i
  const code = printed.exec(text.slice(-200))
  return code === null ? undefined : Number(code[1])
}

/** The same text is often there twice, for the model and for the user: the one for the model counts. */
function contentsOf(contents: unknown): { text: string; images?: number } {
  if (typeof contents === 'string') return { text: contents }
  const list =
    Array.isArray(contents) || contents === undefined || contents === null ? asList(contents) : [contents]
  const forModel = list.filter((item) => isFor(item, 'assistant'))
  const texts: string[] = []
  let images = 0
  for (const item of forModel.length > 0 ? forModel : list) {
    const content = asObject(item)
    const resource = asObject(content?.resource)
    if (content?.type === 'image') images++
    else if (typeof content?.text === 'string') texts.push(content.text)
    else if (typeof resource?.text === 'string') texts.push(resource.text)
    else texts.push(typeof item === 'string' ? item : JSON.stringify(item))
  }
  return { text: texts.join('\n'), ...(images > 0 && { images }) }
}

/** Whether a content is for a role; one without an audience is for both. */
function isFor(item: unknown, role: string): boolean {
  const audience = asObject(asObject(item)?.annotations)?.audience
  return !Array.isArray(audience) || audience.length === 0 || audience.includes(role)
}
