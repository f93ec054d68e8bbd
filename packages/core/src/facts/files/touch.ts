/**
 * One touch of a file as a tool call tells it, before the history decides what it means.
 * `write` puts content there, whether or not the file was there; `ensure` only makes sure that it is there.
 */
export interface Touch {
  readonly action: 'read' | 'create' | 'write' | 'modify' | 'ensure' | 'delete' | 'move' | 'copy'
  /** As it stands in the log. */
  readonly path: string
  /** Where the path goes, for `move` and `copy`. */
  readonly to?: string
  /** The place is a folder, and the file keeps its name. */
  readonly into?: boolean
  /** Where relative paths start: relative to the session's cwd, or absolute. */
  readonly folder?: string
  /** Of a folder and all that is in it. */
  readonly recursive?: boolean
  /** Read from the words of a shell command, which may name what is no file. */
  readonly guessed?: boolean
  readonly added?: number
  readonly removed?: number
}

/** Number of lines in a text; a last line counts without its newline too. */
export function countLines(text: string): number {
  if (text === '') return 0
  let lines = 0
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines += 1
  return text.endsWith('\n') ? lines : lines + 1
}

/** Lines added and removed between two texts, but for the lines that both begin and end with. */
export function countChange(before: string, after: string): { added: number; removed: number } {
  const a = before === '' ? [] : before.split('\n')
  const b = after === '' ? [] : after.split('\n')
  let start = 0
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1
  let end = 0
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end += 1
  return { added: b.length - start - end, removed: a.length - start - end }
}
