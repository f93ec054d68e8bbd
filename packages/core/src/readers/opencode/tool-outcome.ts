import type { FileChange, ToolResultEvent } from '../../session/event.ts'
import { asCount, asList, asObject, asText, type JsonObject } from '../../session/json-values.ts'
import { known } from '../../session/known.ts'
import { countLines } from '../shared/diff-counts.ts'
import type { Outcome } from '../shared/writer.ts'

/** The result of a tool, without the names of call and agent. */
export interface OpenCodeOutcome extends Outcome {
  /** Words of the user who refused the call. */
  readonly feedback?: string
}

/** The outcome in the `state` of a tool part; `undefined` if the call has not ended. */
export function openCodeOutcome(tool: string, state: JsonObject): OpenCodeOutcome | undefined {
  if (state.status === 'error') return failure(state)
  if (state.status !== 'completed' && state.output === undefined) return undefined
  const metadata = asObject(state.metadata)
  const text = textOf(state.output)
  const exitCode = Number.isSafeInteger(metadata?.exit) ? Number(metadata?.exit) : undefined
  const changes = changesOf(tool, asObject(state.input), metadata)
  const images = asList(state.attachments).length
  return { status: statusOf(text, exitCode), text, exitCode, changes, images }
}

function statusOf(text: string, exitCode: number | undefined): ToolResultEvent['status'] {
  // The shell tool's remark if it ended the command itself.
  const remark = /<(?:shell|bash)_metadata>\s*([^<]{0,400})/.exec(text.slice(-1000))?.[1] ?? ''
  if (/aborted/i.test(remark)) return 'cancelled'
  if (/timeout|timed out/i.test(remark)) return 'error'
  return (exitCode ?? 0) === 0 ? 'ok' : 'error'
}

const denial =
  /The user rejected permission to use this specific tool call|The user has specified a rule which prevents you from using this specific tool call|The user dismissed this question/
const feedbackStart = 'with the following feedback: '

function failure(state: JsonObject): OpenCodeOutcome {
  const text = textOf(state.error ?? state.output)
  const refused = denial.test(text)
  const at = refused ? text.indexOf(feedbackStart) : -1
  const feedback = at === -1 ? '' : text.slice(at + feedbackStart.length).trim()
  const cancelled = !refused && /^(?:Tool execution aborted|Cancelled\b|Aborted\b)/.test(text)
  return {
    status: refused ? 'denied' : cancelled ? 'cancelled' : 'error',
    text: feedback === '' ? text : text.slice(0, at).trim(),
    feedback,
  }
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  return value === undefined || value === null ? '' : JSON.stringify(value)
}

function changesOf(
  tool: string,
  input: JsonObject | undefined,
  metadata: JsonObject | undefined,
): FileChange[] {
  if (Array.isArray(metadata?.files)) return metadata.files.flatMap(patchedFile)
  if (tool === 'write') return writtenFile(input, metadata)
  const edits = [metadata, ...asList(metadata?.results).map(asObject)]
  return edits.flatMap((edit) => editedFile(asObject(edit?.filediff), input))
}

/** A file of `apply_patch`. */
function patchedFile(value: unknown): FileChange[] {
  const file = asObject(value)
  const path = asText(file?.filePath) ?? asText(file?.relativePath)
  const type = asText(file?.type) ?? 'update'
  const target = asText(file?.movePath)
  if (path === undefined) return []
  const isMoved = target !== undefined || type === 'move'
  const action = isMoved ? 'renamed' : type === 'add' ? 'created' : type === 'delete' ? 'deleted' : 'modified'
  return [{ path: target ?? path, action, ...(target !== undefined && { from: path }), ...lines(file) }]
}

function writtenFile(input: JsonObject | undefined, metadata: JsonObject | undefined): FileChange[] {
  const path = asText(metadata?.filepath) ?? asText(input?.filePath)
  if (path === undefined || typeof metadata?.exists !== 'boolean') return []
  if (metadata.exists) return [{ path, action: 'modified' }]
  const added = typeof input?.content === 'string' ? countLines(input.content) : undefined
  return [{ path, action: 'created', ...(added !== undefined && { added, removed: 0 }) }]
}

function editedFile(diff: JsonObject | undefined, input: JsonObject | undefined): FileChange[] {
  const path = asText(diff?.file) ?? asText(input?.filePath)
  if (diff === undefined || path === undefined) return []
  const isNew = input?.oldString === '' && (diff.before ?? '') === '' && (diff.deletions ?? 0) === 0
  return [{ path, action: isNew ? 'created' : 'modified', ...lines(diff) }]
}

function lines(counts: JsonObject | undefined): Pick<FileChange, 'added' | 'removed'> {
  return known({ added: asCount(counts?.additions), removed: asCount(counts?.deletions) })
}
