import * as json from '../../session/json.ts'
import type { ToolUse } from '../../tools/tool-uses.ts'

/**
 * One touch of a file as a tool call reports it, before the history determines its meaning. `write` sets the content,
 * whether or not the file existed; `ensure` only makes sure that it exists; `restore` reverts changes since the last
 * commit.
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
  /** Parsed from the words of a shell command, which may not be a file. */
  readonly guessed?: boolean
  /** Counts only for a file that another call touched before. */
  readonly onlyKnown?: boolean
  readonly added?: number
  readonly removed?: number
  readonly diff?: ChangedLines
  /** First and last line that were read, unless it was the whole file; without a last line, up to the end. */
  readonly lines?: LineRange
}

/** Lines that an edit added and removed, without equal ones at its start and end. */
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

/** Whether a text contains such a patch. */
export function isPatch(text: string): boolean {
  return text.includes('*** Begin Patch')
}

// Argument names of all agents' tools for the lines to read.
const firstKeys = ['start_line', 'startLine', 'start_line_one_indexed', 'line_start', 'lineStart'] as const
const lastKeys = ['end_line', 'endLine', 'end_line_one_indexed_inclusive', 'line_end', 'lineEnd'] as const

/** Returns the requested lines of a call, undefined for the whole file. */
export function readLines({ call }: ToolUse): LineRange | undefined {
  const input = json.fields(call.input)
  const { view_range: range } = input
  if (Array.isArray(range)) return rangeOf(numberOf(range[0]), numberOf(range[1]))
  const first = firstOf(input, firstKeys)
  const last = firstOf(input, lastKeys)
  if (first !== undefined || last !== undefined) return rangeOf(first ?? 1, last)
  const limit = numberOf(input.limit)
  const offset = numberOf(input.offset)
  // Claude Code counts lines from 1, the other agents with an offset from 0.
  const start = offset === undefined ? 1 : Math.max(1, call.name === 'Read' ? offset : offset + 1)
  if (offset === undefined && limit === undefined) return undefined
  return rangeOf(start, limit === undefined ? undefined : start + limit - 1)
}

/** Returns the lines that a sed script prints: `120,180p`; undefined for any other script. */
export function printedLines(script: string): LineRange | undefined {
  const [, first, last] = /^(\d{1,7}),(\d{1,7}|\$)p;?$/.exec(script) ?? []
  return first === undefined ? undefined : rangeOf(Number(first), last === '$' ? undefined : Number(last))
}

/** Formats line ranges, in order, joined if they touch. */
export function sectionsOf(ranges: readonly LineRange[]): string[] {
  const joined: [first: number, last: number][] = []
  for (const [first, last = Number.POSITIVE_INFINITY] of [...ranges].sort((a, b) => a[0] - b[0])) {
    const before = joined.at(-1)
    if (before !== undefined && first <= before[1] + 1) before[1] = Math.max(before[1], last)
    else joined.push([first, last])
  }
  const shown = joined.slice(0, most).map(([first, last]) => {
    if (last === Number.POSITIVE_INFINITY) return `from line ${first}`
    return first === last ? `line ${first}` : `lines ${first}-${last}`
  })
  const more = joined.length - most
  return more > 0 ? [...shown, `and ${more} more ${more === 1 ? 'part' : 'parts'}`] : shown
}

const most = 6

/** From line 1 to the end is the whole file. */
function rangeOf(first: number | undefined, last: number | undefined): LineRange | undefined {
  if (first === undefined || first < 1) return undefined
  if (last === undefined || last < first) return first === 1 ? undefined : [first]
  return [first, last]
}

function firstOf(input: Readonly<Record<string, unknown>>, keys: readonly string[]): number | undefined {
  return keys.map((key) => numberOf(input[key])).find((value) => value !== undefined)
}

function numberOf(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value
  return Number.isSafeInteger(number) && (number as number) >= 0 ? (number as number) : undefined
}

/** The lines that a session added to a file and removed from it, without those reverted later. */
export interface LineCounts {
  /** Touches that changed its content, in order. */
  touches: Touch[]
  /** Number of touches that were committed. */
  committed: number
}

/** Counts a touch that changes content; `isWhole` if it sets the whole content of a file that the session created. */
export function countTouch(counts: LineCounts, touch: Touch, isWhole: boolean): void {
  if (isWhole && touch.diff !== undefined) {
    counts.touches = []
    counts.committed = 0
  }
  counts.touches.push(touch)
}

/** Reverts what was counted since the last commit. */
export function takeBack(counts: LineCounts): void {
  counts.touches = counts.touches.slice(0, counts.committed)
}

/**
 * Returns the sums, or nothing if they are incomplete, because something uncounted changed the file. Exact if the log
 * has the lines; calls that report only numbers are added up.
 */
export function countsOf({ touches }: LineCounts): { added?: number; removed?: number } {
  const lines = new Map<string, number>()
  const sums = { added: 0, removed: 0 }
  const has = { added: false, removed: false }
  for (const { diff, added, removed } of touches) {
    if (diff === undefined && added === undefined && removed === undefined) return {}
    has.added ||= added !== undefined
    has.removed ||= removed !== undefined
    for (const line of diff?.added ?? []) lines.set(line, (lines.get(line) ?? 0) + 1)
    for (const line of diff?.removed ?? []) lines.set(line, (lines.get(line) ?? 0) - 1)
    if (diff !== undefined) continue
    sums.added += added ?? 0
    sums.removed += removed ?? 0
  }
  for (const times of lines.values()) {
    sums.added += Math.max(0, times)
    sums.removed += Math.max(0, -times)
  }
  return { ...(has.added && { added: sums.added }), ...(has.removed && { removed: sums.removed }) }
}

/** A line that defines a function or a type, or a top-level constant. */
const definition =
  /^(?:[ \t]{0,8}(?:(?:export|default|pub(?:\(\w+\))?|public|private|protected|internal|static|abstract|async|override|final|declare)[ \t]+){0,4}(?:function\*?|class|interface|type|enum|struct|trait|defp?|func|fn|fun|module|namespace)[ \t]+(?:\([^()]{0,80}\)[ \t]*)?|(?:export[ \t]+)?(?:const|let|var)[ \t]+)([A-Za-z_$][\w$]{2,60})(?=[ \t]*(?:[({<:=[;]|$|extends\b|implements\b|struct\b|interface\b))/

/** Longer lines are generated. */
const longestLine = 400

/** Returns the names defined by lines added to a file and not removed later, in order. */
export function definedNames({ touches }: LineCounts): string[] {
  const names = new Set<string>()
  const namesOf = (lines: readonly string[] = []) =>
    lines.flatMap((line) => (line.length > longestLine ? [] : (definition.exec(line)?.[1] ?? [])))
  for (const { diff } of touches) {
    for (const name of namesOf(diff?.removed)) names.delete(name)
    for (const name of namesOf(diff?.added)) names.add(name)
  }
  return [...names]
}
