import type { FileChange, ToolResultEvent } from '../../session/event.ts'
import { asNumber, asObject, asText, type JsonObject } from '../../session/json-values.ts'
import { resultOf } from '../gemini-cli/tool-outcome.ts'
import { diffCounts } from '../shared/diff-counts.ts'
import { knownOutcome, type Outcome } from '../shared/outcome.ts'

/** The outcome in a `functionResponse` part; `reported` is the `toolCallResult` next to the message. */
export function qwenOutcome(part: JsonObject, reported: JsonObject | undefined): Outcome {
  const { text, images, failed } = resultOf([part])
  const shown = asObject(reported?.resultDisplay)
  const isShell =
    shown?.type === 'shell_result' || asText(asObject(part.functionResponse)?.name) === 'run_shell_command'
  const exitCode = asNumber(shown?.exitCode) ?? (isShell ? exitCodeOf(text) : undefined)
  const status = statusOf(reported, failed || (exitCode ?? 0) !== 0 || asText(shown?.signal) !== undefined)
  const changes = status === 'ok' && shown !== undefined ? changesOf(shown) : []
  return knownOutcome({ status, text, exitCode, changes, images })
}

/** A search that finds nothing ends with 1 and is reported as a success. */
function statusOf(reported: JsonObject | undefined, failed: boolean): ToolResultEvent['status'] {
  const kind = asText(reported?.errorType) ?? ''
  if (/denied|declined|rejected/.test(kind)) return 'denied'
  if (reported?.status === 'cancelled') return 'cancelled'
  if (reported?.status === 'success') return 'ok'
  return reported?.status === 'error' || failed ? 'error' : 'ok'
}

function exitCodeOf(text: string): number | undefined {
  const line = /^Exit Code: (-?\d{1,10})$/m.exec(text.slice(-2000))
  return line === null ? undefined : Number(line[1])
}

function changesOf(shown: JsonObject): FileChange[] {
  const path = asText(shown.filePath) ?? asText(shown.fileName)
  if (path === undefined || typeof shown.fileDiff !== 'string') return []
  const action = shown.originalContent === null || shown.originalContent === '' ? 'created' : 'modified'
  return [{ path, action, ...diffCounts(shown.fileDiff) }]
}
