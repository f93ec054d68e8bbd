import type { FileChange } from '../../session/event.ts'

export type DiffCounts = { readonly added: number; readonly removed: number }

/** Counts the lines of a unified diff of one file; `undefined` if the text has no hunk. */
export function diffCounts(diff: string): DiffCounts | undefined {
  let added = 0
  let removed = 0
  let inHunk = false
  let hasHunk = false
  for (const line of diff.split('\n')) {
    if (line.startsWith('@@')) inHunk = hasHunk = true
    else if (line.startsWith('diff --git ')) inHunk = false
    else if (!inHunk) continue
    else if (line.startsWith('+')) added++
    else if (line.startsWith('-')) removed++
  }
  return hasHunk ? { added, removed } : undefined
}

export function countLines(text: string): number {
  if (text === '') return 0
  const ends = text.split('\n').length
  return text.endsWith('\n') ? ends - 1 : ends
}

export function changedLines(before: string, after: string): DiffCounts {
  const { added, removed } = changedRegion(before, after)
  return { added: added.length, removed: removed.length }
}

export function changedRegion(before: string, after: string): { added: string[]; removed: string[] } {
  const a = before === '' ? [] : before.split('\n')
  const b = after === '' ? [] : after.split('\n')
  let start = 0
  while (start < a.length && start < b.length && a[start] === b[start]) start++
  let end = 0
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end++
  return { added: b.slice(start, b.length - end), removed: a.slice(start, a.length - end) }
}

/** Returns the change for a created file, with its lines if its content is known. */
export function createdFile(path: string, content: unknown): FileChange {
  const lines = typeof content === 'string' && { added: countLines(content), removed: 0 }
  return { path, action: 'created', ...lines }
}

/** Returns the change of a file to the text `after`; the file is new without `before`. A final line break begins no line. */
export function fileChange(path: string, before: string | undefined, after: string): FileChange {
  const lines = changedLines((before ?? '').replace(/\n$/, ''), after.replace(/\n$/, ''))
  return { path, action: before === undefined ? 'created' : 'modified', ...lines }
}
