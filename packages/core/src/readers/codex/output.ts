import type { FileChange, ToolResultEvent } from '../../session/event.ts'
import { asNumber, asObject, asText, type JsonObject, parseJson } from '../../session/json-values.ts'
import { numberIn } from '../shared/content.ts'
import { countLines, diffCounts } from '../shared/diff-counts.ts'

/** A tool output without its wrapping. */
export interface CodexOutput {
  readonly text: string
  readonly images: number
  readonly exitCode?: number | undefined
  readonly status?: ToolResultEvent['status'] | undefined
}

/**
 * Reads an output in any of its forms: text with a header, JSON in a string (`{"output", "metadata"}` or a list of
 * parts), a list of parts, or an object.
 */
export function readOutput(output: unknown): CodexOutput {
  if (typeof output === 'string') return readText(output)
  if (Array.isArray(output)) return readParts(output)
  const object = asObject(output)
  if (object === undefined)
    return { text: output === null || output === undefined ? '' : String(output), images: 0 }
  if (asText(object.type) !== undefined) return readParts([object])
  const inner = object.content ?? object.output
  if (inner === undefined) return { text: JSON.stringify(object), images: 0 }
  return { ...readOutput(inner), ...failure(object) }
}

function readText(text: string): CodexOutput {
  const json = text.startsWith('{') || text.startsWith('[') ? parseJson(text) : undefined
  const isTyped = (part: unknown): boolean => asText(asObject(part)?.type) !== undefined
  if (Array.isArray(json) && json.length > 0 && json.every(isTyped)) return readParts(json)
  const object = asObject(json)
  if (object !== undefined && typeof object.output === 'string' && asObject(object.metadata) !== undefined) {
    const exitCode = asNumber(asObject(object.metadata)?.exit_code)
    return { text: object.output, images: 0, ...failure(object), exitCode }
  }
  if (object !== undefined) return { text, images: 0, ...failure(object) }
  return readHeader(text) ?? { text, images: 0, ...refusal(text) }
}

function readParts(parts: readonly unknown[]): CodexOutput {
  const texts: string[] = []
  let images = 0
  for (const part of parts) {
    const object = asObject(part)
    const text = asText(object?.text)
    if (text !== undefined) texts.push(text)
    else if (/image/.test(asText(object?.type) ?? '')) images++
    else if (typeof part === 'string') texts.push(part)
    else if (asText(object?.type) !== 'encrypted_content' && object?.text !== '')
      texts.push(JSON.stringify(part))
  }
  const joined = texts.join('\n')
  return { ...(readHeader(joined) ?? { text: joined }), images }
}

const headerLine =
  /^(?:Command: |Chunk ID: |Wall time:? |Original token count: |Total output lines: |Process running with session ID |Exit code: (-?\d{1,10})$|Process exited with code (-?\d{1,10})$|Script (completed|failed|running with)\b)/

/** `Chunk ID / Wall time / Process exited with code N / Original token count / Output:`, or `undefined`. */
function readHeader(text: string): CodexOutput | undefined {
  // A command may span lines; the next field begins with its own name.
  let at = text.startsWith('Command: ') ? afterCommand(text) : 0
  let exitCode: number | undefined
  let status: ToolResultEvent['status'] | undefined
  for (let lines = 0; lines < 12; lines++) {
    const end = text.indexOf('\n', at)
    const line = end === -1 ? text.slice(at, at + 400) : text.slice(at, end)
    const rest = end === -1 ? '' : text.slice(end + 1)
    if (line === 'Output:' && lines > 0) return { text: rest, images: 0, exitCode, status }
    const match = headerLine.exec(line)
    if (match === null) return undefined
    const code = match[1] ?? match[2]
    if (code !== undefined) exitCode = Number(code)
    if (match[3] === 'failed') status = 'error'
    if (end === -1) return undefined
    at = end + 1
  }
  return undefined
}

function afterCommand(text: string): number {
  const starts = ['\nChunk ID: ', '\nWall time: ']
    .map((mark) => text.indexOf(mark))
    .filter((index) => index !== -1)
  return starts.length === 0 ? 0 : Math.min(...starts) + 1
}

function failure(object: JsonObject): { status?: 'error' } {
  return object.success === false || object.isError === true || object.is_error === true
    ? { status: 'error' }
    : {}
}

/** Codex's own answer in place of a tool's: plain text without a header. */
function refusal(text: string): Pick<CodexOutput, 'status' | 'exitCode'> {
  const head = text.slice(0, 400)
  if (/^aborted(?: by user\b|$)/.test(head)) return { status: 'cancelled' }
  if (/^[\w ]{0,30}(?:rejected by user|user rejected|denied by user|user cancelled)\b/i.test(head)) {
    return { status: 'denied' }
  }
  const failed =
    /^(?:error: |err: |execution error|failed (?:in|to) |unsupported |unable to |patch rejected|[\w/ ]{1,40} failed[ :]|Full-history forked agents )/
  if (!failed.test(head)) return {}
  return { status: 'error', exitCode: numberIn(head, /\bexit[_ ]code: (-?\d{1,10})\b/) }
}

const begin = '*** Begin Patch'

/**
 * Finds the patch in an apply_patch call: its raw input, or a string of its arguments (a heredoc of a shell command).
 */
export function findPatch(input: unknown): string | undefined {
  if (typeof input === 'string') {
    const start = input.indexOf(begin)
    return start === -1 ? undefined : input.slice(start)
  }
  const values = Array.isArray(input) ? input : Object.values(asObject(input) ?? {})
  for (const value of values) {
    const patch = typeof value === 'string' || Array.isArray(value) ? findPatch(value) : undefined
    if (patch !== undefined) return patch
  }
  return undefined
}

/**
 * The files of a patch in Codex's own form, with their line counts.
 * https://github.com/openai/codex/blob/main/codex-rs/apply-patch/apply_patch_tool_instructions.md
 */
export function patchChanges(patch: string): FileChange[] {
  const changes: {
    path: string
    action: FileChange['action']
    from?: string
    added: number
    removed: number
  }[] = []
  for (const line of patch.split('\n')) {
    const heading = /^\*\*\* (Add File|Update File|Delete File|Move to|End Patch)(?:: (.*))?$/.exec(
      line.trimEnd(),
    )
    const current = changes.at(-1)
    if (heading === null) {
      if (current === undefined) continue
      if (line.startsWith('+')) current.added++
      else if (line.startsWith('-')) current.removed++
      continue
    }
    const [, kind, name = ''] = heading
    const path = name.trim()
    if (kind === 'End Patch') break
    if (path === '') continue
    if (kind !== 'Move to') {
      const action = kind === 'Add File' ? 'created' : kind === 'Delete File' ? 'deleted' : 'modified'
      changes.push({ path, action, added: 0, removed: 0 })
    } else if (current !== undefined) {
      current.from = current.path
      current.path = path
      current.action = 'renamed'
    }
  }
  // A patch that deletes a file does not contain its length.
  return changes.map(({ added, removed, ...change }) =>
    change.action === 'deleted' ? change : { ...change, added, removed },
  )
}

/**
 * `changes` of a patch_apply_end: paths with `{ type: add | update | delete, content?, unified_diff?, move_path? }`.
 */
export function endChanges(value: unknown): FileChange[] {
  return Object.entries(asObject(value) ?? {}).flatMap(([path, raw]) => {
    const change = asObject(raw)
    return change === undefined ? [] : [endChange(path, change)]
  })
}

function endChange(path: string, { content, move_path, type, unified_diff }: JsonObject): FileChange {
  const diff = asText(unified_diff)
  const written = asText(content)
  const counts = diff === undefined ? undefined : diffCounts(diff.includes('@@') ? diff : `@@\n${diff}`)
  const lines = counts === undefined && written !== undefined ? countLines(written) : undefined
  if (type === 'add')
    return { path, action: 'created', ...(counts ?? (lines !== undefined && { added: lines })) }
  if (type === 'delete')
    return { path, action: 'deleted', ...(counts ?? (lines !== undefined && { removed: lines })) }
  const moved = asText(move_path)
  return moved === undefined
    ? { path, action: 'modified', ...counts }
    : { path: moved, action: 'renamed', from: path, ...counts }
}
