import { editPairs, newText } from '../../tools/given-text.ts'

/**
 * Returns what an edit did as a small diff, with `-` before removed and `+` before added lines. A file that is written
 * whole is returned as its text; a patch loses its unchanged lines.
 */
export function editDiff(input: unknown): string {
  const pairs = editPairs(input)
  if (pairs.length > 0) return pairs.map(({ before, after }) => diffOf(before, after)).join('\n')
  const text = newText(input)
  return isPatch(text) ? changesOf(text) : text
}

function diffOf(before: string, after: string): string {
  if (before === '') return prefixed('+', after.split('\n'))
  const [old, now] = [before.split('\n'), after === '' ? [] : after.split('\n')]
  let start = 0
  while (start < old.length && start < now.length && old[start] === now[start]) start++
  let end = 0
  while (end < old.length - start && end < now.length - start && old.at(-1 - end) === now.at(-1 - end)) end++
  const removed = old.slice(start, old.length - end)
  const added = now.slice(start, now.length - end)
  return [prefixed('-', linesBeside(removed, added)), prefixed('+', linesBeside(added, removed))]
    .filter((text) => text !== '')
    .join('\n')
}

/** Returns the lines that the others lack, or all of them if only their order differs. */
function linesBeside(lines: readonly string[], others: readonly string[]): readonly string[] {
  const known = new Set(others)
  const own = lines.filter((line) => !known.has(line))
  return own.length === 0 && others.length === lines.length ? lines : own
}

function prefixed(sign: string, lines: readonly string[]): string {
  return lines.map((line) => `${sign}${line}`).join('\n')
}

function isPatch(text: string): boolean {
  return /^(?:\*\*\* Begin Patch|--- |diff --git |@@ )/m.test(text.slice(0, 2000))
}

/** Returns the lines of a patch that name a place or change something. */
function changesOf(patch: string): string {
  return patch
    .split('\n')
    .filter((line) => /^(?:[+-]|@@|\*\*\* (?!Begin|End))/.test(line))
    .join('\n')
}
