import { fieldsOf } from '../../session/json-values.ts'
import type { ToolUse } from '../../tools/tool-uses.ts'
import type { LineRange } from './touch.ts'

// The argument names of all agents' tools for the lines to read.
const firstKeys = ['start_line', 'startLine', 'start_line_one_indexed', 'line_start', 'lineStart'] as const
const lastKeys = ['end_line', 'endLine', 'end_line_one_indexed_inclusive', 'line_end', 'lineEnd'] as const

/** Returns the lines that a call asked for, undefined if it asked for the whole file. */
export function readLines({ call }: ToolUse): LineRange | undefined {
  const input = fieldsOf(call.input)
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

/** Returns the lines that a script of sed prints: `120,180p`; undefined for any other script. */
export function printedLines(script: string): LineRange | undefined {
  const [, first, last] = /^(\d{1,7}),(\d{1,7}|\$)p;?$/.exec(script) ?? []
  return first === undefined ? undefined : rangeOf(Number(first), last === '$' ? undefined : Number(last))
}

/** The words for line ranges, joined if they touch, in order. */
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
  return joined.length > most ? [...shown, `and ${joined.length - most} more parts`] : shown
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
