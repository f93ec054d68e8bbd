import { field } from './tool-line.ts'

/** What tools of all agents call the text that an edit puts into a file, and the text that stood there. */
const newKeys = [
  'new_string',
  'content',
  'new_str',
  'file_text',
  'newString',
  'newText',
  'new_text',
  'new_source',
  'contents',
  'code_edit',
  'patchText',
  'patch',
  'diff',
  'replace',
  'text',
] as const
const oldKeys = ['old_string', 'old_str', 'oldString', 'oldText', 'old_text', 'search'] as const

/** New text of an edit by its arguments, or the raw text of a patch; empty where there is none. */
export function newText(input: unknown): string {
  if (typeof input === 'string') return input
  const text = firstField(input, newKeys) ?? joined(input, newKeys)
  if (text !== '') return text
  // SWE-agent's `edit 3:4` takes the lines behind it.
  const command = field(input, 'command') ?? ''
  return command.includes('\n') ? command : ''
}

/** The text that an edit took out; empty where the arguments do not hold it. */
export function oldText(input: unknown): string {
  return firstField(input, oldKeys) ?? joined(input, oldKeys)
}

/**
 * What an edit changed: the lines of its new text that did not stand in the old one, or, if it only took lines out, the old
 * lines that are gone.
 */
export function changedText(input: unknown): string {
  const before = oldText(input)
  const after = newText(input)
  if (before === '') return after
  const added = linesBeside(after, before)
  if (added !== '') return added
  const removed = linesBeside(before, after)
  return removed === '' ? after : `removed:\n${removed}`
}

/** Lines of a text that the other does not have. */
function linesBeside(text: string, other: string): string {
  const known = new Set(other.split('\n').map((line) => line.trim()))
  return text
    .split('\n')
    .filter((line) => !known.has(line.trim()))
    .join('\n')
}

function firstField(input: unknown, keys: readonly string[]): string | undefined {
  for (const key of keys) {
    const text = field(input, key)
    if (text !== undefined) return text
  }
  return undefined
}

function joined(input: unknown, keys: readonly string[]): string {
  const edits: unknown =
    typeof input === 'object' && input !== null && 'edits' in input ? input.edits : undefined
  return Array.isArray(edits) ? edits.map((edit) => firstField(edit, keys) ?? '').join('\n') : ''
}
