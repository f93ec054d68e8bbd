/**
 * One touch of a file as a tool call reports it, before the history decides its meaning. `write` sets the content,
 * whether or not the file existed; `ensure` only makes sure that it exists; `restore` takes back what was changed since
 * the last commit.
 */
export interface Touch {
  readonly action: 'read' | 'create' | 'write' | 'modify' | 'ensure' | 'restore' | 'delete' | 'move' | 'copy'
  /** Exactly as in the log. */
  readonly path: string
  readonly to?: string
  /** The destination is a folder, and the file keeps its name. */
  readonly into?: boolean
  /** Base of relative paths: relative to the session's cwd, or absolute. */
  readonly folder?: string
  /** Applies to a folder and everything in it. */
  readonly recursive?: boolean
  /** Parsed from the words of a shell command, which may name something that is not a file. */
  readonly guessed?: boolean
  /** Counts only for a file that another call touched before. */
  readonly onlyKnown?: boolean
  readonly added?: number
  readonly removed?: number
  readonly diff?: ChangedLines
  /** First and last line of what was read, if that was not the whole file; no last line means up to the end. */
  readonly lines?: LineRange
}

/** Lines that an edit added and removed, without those that it kept at its start and end. */
export interface ChangedLines {
  readonly added: readonly string[]
  readonly removed: readonly string[]
}

export type LineRange = readonly [first: number, last?: number]

/** Counts the lines of a text; a last line without a newline counts too. */
export function countLines(text: string): number {
  if (text === '') return 0
  let lines = 0
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines += 1
  return text.endsWith('\n') ? lines : lines + 1
}

/** Returns the lines of a text; a last line without a newline counts too. */
export function linesOf(text: string): string[] {
  if (text === '') return []
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n')
}

/** Returns the lines added and removed between two texts, without their common first and last lines. */
export function changedLines(before: string, after: string): ChangedLines {
  const a = before === '' ? [] : before.split('\n')
  const b = after === '' ? [] : after.split('\n')
  let start = 0
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1
  let end = 0
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end += 1
  return { added: b.slice(start, b.length - end), removed: a.slice(start, a.length - end) }
}

type Draft = { -readonly [K in keyof Touch]: Touch[K] } & { diff?: { added: string[]; removed: string[] } }

/**
 * Parses the touches of a patch in Codex's `apply_patch` form: `*** Add File: path`, `*** Update File:`, `*** Move
 * to:`, `*** Delete File:`.
 */
export function patchTouches(patch: string): Touch[] {
  const touches: Draft[] = []
  let current: Draft | undefined
  for (const line of patch.split('\n')) {
    if (line.startsWith('*** ')) {
      const header = /^\*\*\* (Add File|Update File|Delete File|Move to): (\S[^\r\n]*)/.exec(line)
      const path = header?.[2]?.trim()
      if (header === null || path === undefined) continue
      if (header[1] === 'Move to') {
        if (current !== undefined) Object.assign(current, { action: 'move', to: path })
        continue
      }
      const action = header[1] === 'Add File' ? 'create' : header[1] === 'Delete File' ? 'delete' : 'modify'
      current = action === 'delete' ? { action, path } : { action, path, diff: { added: [], removed: [] } }
      touches.push(current)
    } else if (line.startsWith('+')) current?.diff?.added.push(line.slice(1))
    else if (line.startsWith('-')) current?.diff?.removed.push(line.slice(1))
  }
  return touches.map((touch) =>
    touch.diff === undefined
      ? touch
      : { ...touch, added: touch.diff.added.length, removed: touch.diff.removed.length },
  )
}

/** Whether a text holds such a patch. */
export function isPatch(text: string): boolean {
  return text.includes('*** Begin Patch')
}
