import { textAt } from './tool-uses.ts'

/** Argument names of all agents' tools for the text that an edit writes; `oldKeys` are those for the text it replaces. */
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

export function newText(input: unknown): string {
  if (typeof input === 'string') return input
  const text = textAt(input, ...newKeys) ?? joined(input, newKeys)
  if (text !== '') return text
  // SWE-agent's `edit 3:4` is followed by the new lines.
  const command = textAt(input, 'command') ?? ''
  return command.includes('\n') ? command : ''
}

function oldText(input: unknown): string {
  return textAt(input, ...oldKeys) ?? joined(input, oldKeys)
}

/** Returns the replacements of an edit in order; none if it writes a whole file or applies a patch. */
export function editPairs(input: unknown): { readonly before: string; readonly after: string }[] {
  const edits: unknown =
    typeof input === 'object' && input !== null && 'edits' in input ? input.edits : undefined
  return (Array.isArray(edits) ? edits : [input]).flatMap((edit: unknown) => {
    const before = textAt(edit, ...oldKeys)
    return before === undefined ? [] : [{ before, after: textAt(edit, ...newKeys) ?? '' }]
  })
}

/** Returns what an edit changed: the lines that only its new text has, or, if it only removed lines, those lines. */
export function changedText(input: unknown): string {
  const before = oldText(input)
  const after = newText(input)
  if (before === '') return after
  const added = linesBeside(after, before)
  if (added !== '') return added
  const removed = linesBeside(before, after)
  return removed === '' ? after : `removed:\n${removed}`
}

function linesBeside(text: string, other: string): string {
  const known = new Set(other.split('\n').map((line) => line.trim()))
  return text
    .split('\n')
    .filter((line) => !known.has(line.trim()))
    .join('\n')
}

function joined(input: unknown, keys: readonly string[]): string {
  const edits: unknown =
    typeof input === 'object' && input !== null && 'edits' in input ? input.edits : undefined
  return Array.isArray(edits) ? edits.map((edit) => textAt(edit, ...keys) ?? '').join('\n') : ''
}
