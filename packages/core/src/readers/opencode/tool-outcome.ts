import {
  asCount,
  asList,
  asNumber,
  asText,
  at,
  fieldsOf,
  type JsonObject,
  textAt,
} from '../../session/json-values.ts'
import { textOf } from '../../session/plain-value.ts'
import { countLines } from '../shared/diff-counts.ts'
import type { Change, Outcome } from '../shared/writer.ts'

/** The outcome in the `state` of a tool part; `undefined` if the call has not ended. `feedback`: a refusing user's words. */
export function openCodeOutcome(
  tool: string,
  state: JsonObject,
): (Outcome & { readonly feedback?: string }) | undefined {
  if (state.status === 'error') return failure(state)
  if (state.status !== 'completed' && state.output === undefined) return undefined
  const metadata = fieldsOf(state.metadata)
  const text = textOf(state.output)
  // The shell tool's remark if it ended the command itself.
  const remark = /<(?:shell|bash)_metadata>\s*([^<]{0,400})/.exec(text.slice(-1000))?.[1] ?? ''
  return {
    status: /aborted/i.test(remark) ? 'cancelled' : undefined,
    failed: /timeout|timed out/i.test(remark),
    text,
    exitCode: asNumber(metadata.exit),
    changes: changesOf(tool, fieldsOf(state.input), metadata),
    images: asList(state.attachments).length,
  }
}

const denial =
  /The user rejected permission to use this specific tool call|The user has specified a rule which prevents you from using this specific tool call|The user dismissed this question/
const feedbackStart = 'with the following feedback: '

function failure(state: JsonObject): ReturnType<typeof openCodeOutcome> {
  const text = textOf(state.error ?? state.output)
  const refused = denial.test(text)
  const at = refused ? text.indexOf(feedbackStart) : -1
  const feedback = at === -1 ? '' : text.slice(at + feedbackStart.length).trim()
  const cancelled = !refused && /^(?:Tool execution aborted|Cancelled\b|Aborted\b)/.test(text)
  const status = refused ? 'denied' : cancelled ? 'cancelled' : 'error'
  return { status, text: feedback === '' ? text : text.slice(0, at).trim(), feedback }
}

function changesOf(tool: string, input: JsonObject, metadata: JsonObject): readonly Change[] {
  if (Array.isArray(metadata.files)) return metadata.files.flatMap(patchedFile)
  if (tool === 'write') return writtenFile(input, metadata)
  const diffs = [metadata, ...asList(metadata.results)].map((edit) => at(edit, 'filediff'))
  return diffs.flatMap((diff) => {
    const { before, deletions, file } = fieldsOf(diff)
    const path = asText(file) ?? asText(input.filePath)
    if (typeof diff !== 'object' || path === undefined) return []
    const isNew = input.oldString === '' && (before ?? '') === '' && (deletions ?? 0) === 0
    return [{ path, action: isNew ? 'created' : 'modified', ...lines(diff) } as const]
  })
}

function patchedFile(file: unknown): Change[] {
  const from = textAt(file, 'filePath') ?? textAt(file, 'relativePath')
  const type = textAt(file, 'type')
  const target = textAt(file, 'movePath')
  if (from === undefined) return []
  if (target !== undefined) return [{ path: target, action: 'renamed', from, ...lines(file) }]
  const actions = { move: 'renamed', add: 'created', delete: 'deleted' } as const
  return [{ path: from, action: actions[type as 'add'] ?? 'modified', ...lines(file) }]
}

function writtenFile(input: JsonObject, { exists, filepath }: JsonObject): Change[] {
  const path = asText(filepath) ?? asText(input.filePath)
  if (path === undefined || typeof exists !== 'boolean') return []
  if (exists) return [{ path, action: 'modified' }]
  const { content } = input
  return [
    {
      path,
      action: 'created',
      ...(typeof content === 'string' && { added: countLines(content), removed: 0 }),
    },
  ]
}

function lines(counts: unknown): Pick<Change, 'added' | 'removed'> {
  return { added: asCount(at(counts, 'additions')), removed: asCount(at(counts, 'deletions')) }
}
