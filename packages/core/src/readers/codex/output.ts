import type { ToolResultEvent } from '../../session/event.ts'
import { asNumber, asObject, asText, type JsonObject, parseJson } from '../../session/json-values.ts'
import { numberIn } from '../shared/content.ts'

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
