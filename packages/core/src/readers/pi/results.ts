import type { FileChange, ToolResultEvent } from '../../session/event.ts'
import { asList, asObject, asText, type JsonObject } from '../../session/json-values.ts'
import { knownOutcome, type Outcome } from '../shared/outcome.ts'
import type { PiCall } from './state.ts'

/** Texts and pictures of a content: a string, or a list of blocks. */
export function contentOf(content: unknown): {
  readonly texts: readonly string[]
  readonly images: number
  /** Blocks that are neither. */
  readonly others: readonly unknown[]
} {
  if (typeof content === 'string') return { texts: [content], images: 0, others: [] }
  const texts: string[] = []
  const others: unknown[] = []
  let images = 0
  const blocks =
    Array.isArray(content) || content === undefined || content === null ? asList(content) : [content]
  for (const value of blocks) {
    const block = asObject(value)
    if (typeof value === 'string') texts.push(value)
    else if (block?.type === 'text' && typeof block.text === 'string') texts.push(block.text)
    else if (block?.type === 'image') images++
    else others.push(value)
  }
  return { texts, images, others }
}

/** The outcome in a `toolResult` message. */
export function piOutcome(message: JsonObject, call: PiCall | undefined): Outcome {
  const { texts, images, others } = contentOf(message.content)
  const text = [...texts, ...others.map((value) => JSON.stringify(value))].join('\n')
  const failed = message.isError === true
  const name = call?.name ?? asText(message.toolName)
  const exitCode = name === 'bash' ? exitCodeOf(text, failed) : undefined
  const changes = failed ? [] : changesOf(message, call)
  return knownOutcome({ status: failed ? failureOf(text) : 'ok', text, exitCode, changes, images })
}

function failureOf(text: string): ToolResultEvent['status'] {
  const tail = text.slice(-300)
  if (/(?:^|\n)(?:Command aborted|Operation aborted|Request was aborted)\.?\s*$/.test(tail))
    return 'cancelled'
  return /^(?:Blocked by |Tool execution was blocked|Tool call (?:was )?(?:denied|rejected))/.test(text)
    ? 'denied'
    : 'error'
}

/** The exit code. The shell tool fails with any code other than 0, and reports it at the end. */
function exitCodeOf(text: string, failed: boolean): number | undefined {
  if (!failed) return 0
  const ending = /Command exited with code (-?\d{1,10})\s*$/.exec(text.slice(-100))
  return ending === null ? undefined : Number(ending[1])
}

/** Pi's diffs have a line number after the sign. */
function changesOf(message: JsonObject, call: PiCall | undefined): FileChange[] {
  const path = asText(asObject(call?.input)?.path)
  const diff = asText(asObject(message.details)?.diff)
  if (path === undefined || diff === undefined) return []
  let added = 0
  let removed = 0
  for (const line of diff.split('\n')) {
    if (/^\+\s*\d/.test(line)) added++
    else if (/^-\s*\d/.test(line)) removed++
  }
  return [{ path, action: 'modified', added, removed }]
}
