import type { FileChange } from '../../session/event.ts'
import * as json from '../../session/json.ts'
import { countLines, diffCounts } from '../shared/diff-counts.ts'
import { outcomeOf, stopIn } from '../shared/outcome.ts'
import { numberIn, outputText } from '../shared/values.ts'
import type { Change, Outcome } from '../shared/writer.ts'

/** Reads an output: text with a header, JSON in a string, a list of parts, or an object. */
export function readOutput(output: unknown): Outcome {
  if (typeof output === 'string') return readText(output)
  if (Array.isArray(output)) return readParts(output)
  const object = json.object(output)
  if (object === undefined) return { text: output === null || output === undefined ? '' : String(output) }
  if (json.text(object.type) !== undefined) return readParts([object])
  const inner = object.content ?? object.output
  return inner === undefined ? { text: JSON.stringify(object) } : { ...readOutput(inner), ...failure(object) }
}

/** Reads an output kept by another program; missing values are derived from its text. */
export function readReported(given: unknown): Outcome {
  const output = readOutput(given)
  const reported = outcomeOf(output.text)
  const exitCode = output.exitCode ?? reported.exitCode
  const status = output.status ?? ((exitCode ?? 0) === 0 ? reported.status : 'error')
  return { ...output, status, exitCode }
}

function readText(text: string): Outcome {
  const value = /^[{[]/.test(text) ? json.parse(text) : undefined
  const parts = json.list(value)
  if (parts.length > 0 && parts.every((part) => json.text(part, 'type'))) return readParts(parts)
  const object = json.object(value)
  if (object === undefined) return readHeader(text) ?? { text, ...refusal(text) }
  const { metadata, output } = object
  return typeof output === 'string' && json.object(metadata) !== undefined
    ? { text: output, ...failure(object), exitCode: json.number(metadata, 'exit_code') }
    : { text, ...failure(object) }
}

function readParts(parts: readonly unknown[]): Outcome {
  const isShown = ({ text, type }: json.Fields): boolean => type !== 'encrypted_content' && text !== ''
  const { text, images } = outputText(parts.filter((part) => isShown(json.fields(part))))
  return { ...(readHeader(text) ?? { text }), images }
}

const headerLine =
  /^(?:Command: |Chunk ID: |Wall time:? |Original token count: |Total output lines: |Process running with session ID |Exit code: (-?\d{1,10})$|Process exited with code (-?\d{1,10})$|Script (completed|failed|running with)\b)/

/** Reads `Chunk ID / Wall time / Process exited with code N / Original token count / Output:`; `undefined` without it. */
function readHeader(text: string): Outcome | undefined {
  // A command may span lines, up to the next field.
  const starts = ['\nChunk ID: ', '\nWall time: '].map((mark) => text.indexOf(mark)).filter((at) => at !== -1)
  let start = text.startsWith('Command: ') && starts.length > 0 ? Math.min(...starts) + 1 : 0
  let exitCode: number | undefined
  let failed = false
  let running = ''
  for (let lines = 0; lines < 12; lines++) {
    const end = text.indexOf('\n', start)
    const line = text.slice(start, end === -1 ? start + 400 : end)
    if (line === 'Output:' && lines > 0)
      return {
        text: `${running}${end === -1 ? '' : text.slice(end + 1)}`,
        exitCode,
        ...(failed && { status: 'error' }),
      }
    const [match, code, other, script] = headerLine.exec(line) ?? []
    if (match === undefined || end === -1) return undefined
    if (code !== undefined || other !== undefined) exitCode = Number(code ?? other)
    failed ||= script === 'failed'
    // Later calls use this id to request the rest of the output.
    if (line.startsWith('Process running')) running = `${line}\n`
    start = end + 1
  }
  return undefined
}

function failure(object: json.Fields): { status?: 'error' } {
  const failed = object.success === false || object.isError === true || object.is_error === true
  return failed ? { status: 'error' } : {}
}

/** Reads Codex's own answer in place of a tool's: plain text without a header. */
function refusal(text: string): Pick<Outcome, 'status' | 'exitCode'> {
  const head = text.slice(0, 400)
  const stop = stopIn(text)
  const failed =
    /^(?:error: |err: |execution error|failed (?:in|to) |unsupported |unable to |patch rejected|[\w/ ]{1,40} failed[ :]|Full-history forked agents )/
  if (stop !== undefined || !failed.test(head)) return { status: stop }
  return { status: 'error', exitCode: numberIn(head, /\bexit[_ ]code: (-?\d{1,10})\b/) }
}

const begin = '*** Begin Patch'

export function findPatch(input: unknown): string | undefined {
  if (typeof input === 'string') {
    const start = input.indexOf(begin)
    return start === -1 ? undefined : input.slice(start)
  }
  for (const value of Array.isArray(input) ? input : Object.values(json.fields(input))) {
    const patch = typeof value === 'string' || Array.isArray(value) ? findPatch(value) : undefined
    if (patch !== undefined) return patch
  }
  return undefined
}

/**
 * Returns the files of a patch in Codex's own form, with line counts.
 * https://github.com/openai/codex/blob/main/codex-rs/apply-patch/apply_patch_tool_instructions.md
 */
export function patchChanges(patch: string): Change[] {
  const changes: { path: string; action: FileChange['action']; added: number; removed: number }[] = []
  for (const line of patch.split('\n')) {
    const heading = /^\*\*\* (Add File|Update File|Delete File|Move to|End Patch)(?:: (.*))?$/
    const [, kind, name = ''] = heading.exec(line.trimEnd()) ?? []
    const current = changes.at(-1)
    const path = name.trim()
    if (kind === 'End Patch') break
    if (kind === undefined) {
      if (current === undefined) continue
      if (line.startsWith('+')) current.added++
      else if (line.startsWith('-')) current.removed++
    } else if (path === '') continue
    else if (kind !== 'Move to') {
      const action = kind === 'Add File' ? 'created' : kind === 'Delete File' ? 'deleted' : 'modified'
      changes.push({ path, action, added: 0, removed: 0 })
    } else if (current !== undefined) Object.assign(current, { from: current.path, path, action: 'renamed' })
  }
  // A patch that deletes a file does not contain its length.
  return changes.map(({ added, removed, ...change }) =>
    change.action === 'deleted' ? change : { ...change, added, removed },
  )
}

/** Reads `changes` by path: `{ type: add | update | delete, content?, unified_diff?, move_path? }`. */
export function endChanges(value: unknown): Change[] {
  return Object.entries(json.fields(value)).flatMap(([path, raw]): Change[] => {
    const { content, move_path, type, unified_diff } = json.fields(raw)
    const diff = json.text(unified_diff)
    const written = json.text(content)
    const counts = diff === undefined ? undefined : diffCounts(diff.includes('@@') ? diff : `@@\n${diff}`)
    const lines = written === undefined ? undefined : countLines(written)
    const moved = json.text(move_path)
    if (json.object(raw) === undefined) return []
    if (type === 'add') return [{ path, action: 'created', ...(counts ?? { added: lines }) }]
    if (type === 'delete') return [{ path, action: 'deleted', ...(counts ?? { removed: lines }) }]
    // A change says what changed, if the log was not shortened.
    const isKnown = counts !== undefined && counts.added + counts.removed > 0
    return moved === undefined
      ? [{ path, action: 'modified', ...(isKnown && counts) }]
      : [{ path: moved, action: 'renamed', from: path, ...counts }]
  })
}
