import type { FileChange, ToolResultEvent } from '../../session/event.ts'
import { asCount, asList, asObject, asText, type JsonObject } from '../../session/json-values.ts'
import { known } from '../../session/known.ts'
import { countLines } from '../shared/diff-counts.ts'
import type { Outcome } from '../shared/outcome.ts'

/** The outcome of a recorded call; `undefined` if it has not ended. */
export function geminiOutcome(call: JsonObject): Outcome | undefined {
  const { status } = call
  const { text, images, failed } = resultOf(call.result)
  const ended = status === 'success' || status === 'error' || status === 'cancelled'
  if (!ended && text === '' && images === 0) return undefined
  const isShell = asText(call.name) === 'run_shell_command'
  const exitCode = isShell && status !== 'cancelled' ? exitCodeOf(text) : undefined
  const outcome = statusOf(status, text, failed || (exitCode ?? 0) !== 0)
  const changes = outcome === 'ok' ? changesOf(call) : []
  return { status: outcome, text, exitCode, changes, images }
}

function statusOf(status: unknown, text: string, failed: boolean): ToolResultEvent['status'] {
  if (status === 'cancelled')
    return /User denied|User did not allow/i.test(text.slice(0, 500)) ? 'denied' : 'cancelled'
  return status === 'error' || failed ? 'error' : 'ok'
}

/** Text of a list of parts: `functionResponse` with `output` or `error`, text, and data next to them. */
export function resultOf(result: unknown): {
  readonly text: string
  readonly images: number
  readonly failed: boolean
} {
  const texts: string[] = []
  let images = 0
  let failed = false
  for (const value of Array.isArray(result) ? result : [result]) {
    const part = asObject(value)
    const response = asObject(asObject(part?.functionResponse)?.response)
    if (typeof value === 'string') texts.push(value)
    else if (response !== undefined) {
      failed ||= response.output === undefined && response.error !== undefined
      texts.push(textOf(response.output ?? response.error ?? response))
      images += asList(asObject(part?.functionResponse)?.parts).filter(hasData).length
    } else if (hasData(part)) images++
    else if (typeof part?.text === 'string') texts.push(part.text)
    else if (value !== undefined && value !== null) texts.push(JSON.stringify(value))
  }
  return { text: texts.join('\n'), images, failed }
}

function hasData(part: unknown): boolean {
  return asObject(asObject(part)?.inlineData) !== undefined
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? withoutWrapper(value) : JSON.stringify(value)
}

const wrapper = /^<untrusted_context>\n([\s\S]*)\n<\/untrusted_context>$/

/** Since 0.61 the output of commands and of MCP servers is marked for the model. */
function withoutWrapper(text: string): string {
  return wrapper.exec(text)?.[1] ?? text
}

/** The shell tool prints its fields after the output; newer versions omit fields that are zero or empty. */
function exitCodeOf(text: string): number | undefined {
  const tail = text.slice(-2000)
  const ending = /^Exit Code: (-?\d{1,10})$/m.exec(tail)
  if (ending !== null) return Number(ending[1])
  const plain = text.startsWith('Output: ') && !/^(?:Error|Signal|Exit Code): /m.test(tail)
  return plain ? 0 : undefined
}

function changesOf(call: JsonObject): FileChange[] {
  const shown = asObject(call.resultDisplay)
  const args = asObject(call.args)
  const path = asText(shown?.filePath) ?? asText(args?.file_path) ?? asText(shown?.fileName)
  if (shown === undefined || path === undefined || typeof shown.fileDiff !== 'string') return []
  const action = shown.isNewFile === true ? 'created' : 'modified'
  const stat = asObject(shown.diffStat)
  const sum = (what: 'added' | 'removed'): number | undefined => {
    const model = asCount(stat?.[`model_${what}_lines`])
    return model === undefined ? undefined : model + (asCount(stat?.[`user_${what}_lines`]) ?? 0)
  }
  const written = action === 'created' && typeof args?.content === 'string' ? countLines(args.content) : 0
  const added = sum('added') === 0 && written > 0 ? written : sum('added')
  const removed = sum('removed')
  return [{ path, action, ...known({ added, removed }) }]
}
