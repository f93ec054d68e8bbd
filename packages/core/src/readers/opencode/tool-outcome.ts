import * as json from '../../session/json.ts'
import { textOf } from '../../session/plain-value.ts'
import { countLines } from '../shared/diff-counts.ts'
import { stopIn } from '../shared/outcome.ts'
import type { Change, Outcome } from '../shared/writer.ts'

type OpenCodeOutcome = Outcome & { readonly feedback?: string }

/** The outcome in the `state` of a tool part; `undefined` if the call has not ended. `feedback`: a refusing user's words. */
export function openCodeOutcome(tool: string, state: json.Fields): OpenCodeOutcome | undefined {
  if (state.status === 'error') return failure(state)
  if (state.status !== 'completed' && state.output === undefined) return undefined
  const metadata = json.fields(state.metadata)
  const text = textOf(state.output)
  // The shell tool's remark if it ended the command itself.
  const remark = /<(?:shell|bash)_metadata>\s*([^<]{0,400})/.exec(text.slice(-1000))?.[1] ?? ''
  return {
    status: /aborted/i.test(remark) ? 'cancelled' : undefined,
    failed: /timeout|timed out/i.test(remark),
    text,
    exitCode: json.number(metadata.exit),
    changes: changesOf(tool, json.fields(state.input), metadata),
    images: json.list(state.attachments).length,
  }
}

const feedbackStart = 'with the following feedback: '

function failure(state: json.Fields): OpenCodeOutcome {
  const text = textOf(state.error ?? state.output)
  const status = stopIn(text) ?? 'error'
  const at = status === 'denied' ? text.indexOf(feedbackStart) : -1
  const feedback = at === -1 ? '' : text.slice(at + feedbackStart.length).trim()
  return { status, text: feedback === '' ? text : text.slice(0, at).trim(), feedback }
}

function changesOf(tool: string, input: json.Fields, metadata: json.Fields): readonly Change[] {
  if (Array.isArray(metadata.files)) return metadata.files.flatMap(patchedFile)
  if (tool === 'write') return writtenFile(input, metadata)
  const diffs = [metadata, ...json.list(metadata.results)].map((edit) => json.at(edit, 'filediff'))
  return diffs.flatMap((diff) => {
    const { before, deletions, file } = json.fields(diff)
    const path = json.text(file) ?? json.text(input.filePath)
    if (typeof diff !== 'object' || path === undefined) return []
    const isNew = input.oldString === '' && (before ?? '') === '' && (deletions ?? 0) === 0
    return [{ path, action: isNew ? 'created' : 'modified', ...lines(diff) } as const]
  })
}

function patchedFile(file: unknown): Change[] {
  const from = json.text(file, 'filePath') ?? json.text(file, 'relativePath')
  const type = json.text(file, 'type')
  const target = json.text(file, 'movePath')
  if (from === undefined) return []
  if (target !== undefined) return [{ path: target, action: 'renamed', from, ...lines(file) }]
  const actions = { move: 'renamed', add: 'created', delete: 'deleted' } as const
  return [{ path: from, action: actions[type as 'add'] ?? 'modified', ...lines(file) }]
}

function writtenFile(input: json.Fields, { exists, filepath }: json.Fields): Change[] {
  const path = json.text(filepath) ?? json.text(input.filePath)
  if (path === undefined || typeof exists !== 'boolean') return []
  if (exists) return [{ path, action: 'modified' }]
  const { content } = input
  const lines = typeof content === 'string' && { added: countLines(content), removed: 0 }
  return [{ path, action: 'created', ...lines }]
}

function lines(counts: unknown): Pick<Change, 'added' | 'removed'> {
  return { added: json.count(counts, 'additions'), removed: json.count(counts, 'deletions') }
}
