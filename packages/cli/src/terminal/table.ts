import type { Screen } from './terminal.ts'

// Own code, because `string-width` takes 48 ms to load and `fast-string-truncated-width` cuts mixed scripts wrongly.
// East Asian wide characters and emoji take two columns, Latin letters and usual punctuation one: https://www.unicode.org/reports/tr11/
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}|[\u{20000}-\u{3fffd}]/u
const zero = /\p{Mn}|\p{Me}|[\u200b-\u200d]|[\ufe00-\ufe0f]/u
const narrow = /^[ -~\u00a0-\u024f\u2010-\u2027\u2030-\u205e]*$/

export interface Column {
  readonly title: string
  readonly align?: 'left' | 'right'
  readonly max?: number
  /** Priority for leaving the column out of a table that is too wide: the highest number goes first. @default never */
  readonly drop?: number
  /** Leaves the column out if all its cells are empty. */
  readonly isOptional?: true
}

type Columns = readonly Column[]
type Rows = readonly (readonly string[])[]

/** A table wider than `width` loses the columns that have `drop`, then the ends of its lines. */
export function formatTable(columns: Columns, rows: Rows, width = Number.POSITIVE_INFINITY): string[] {
  const isEmpty = columns.map(({ isOptional }, at) => isOptional === true && rows.every((row) => !row[at]))
  if (isEmpty.includes(true)) return formatWithout(isEmpty, columns, rows, width)
  const lines = wholeTable(columns, rows)
  if (lines.every((line) => 2 * line.length <= width || textWidth(line) <= width)) return lines
  const last = Math.max(...columns.map(({ drop = 0 }) => drop))
  if (last === 0) return lines.map((line) => fitCell(line, width))
  const isDropped = columns.map(({ drop }) => drop === last)
  return formatWithout(isDropped, columns, rows, width)
}

export function headedTable(columns: Columns, rows: Rows, screen: Pick<Screen, 'style' | 'columns'>) {
  const [head = '', ...lines] = formatTable(columns, rows, screen.columns)
  return [screen.style.dim(head), ...lines]
}

function formatWithout(left: readonly boolean[], columns: Columns, rows: Rows, width: number): string[] {
  const only = <T>(list: readonly T[]): T[] => list.filter((_, at) => !left[at])
  return formatTable(only(columns), rows.map(only), width)
}

function wholeTable(columns: Columns, rows: Rows): string[] {
  const head = columns.every((column) => column.title === '') ? [] : [columns.map((column) => column.title)]
  const lines = [...head, ...rows.map((row) => row.map((cell, at) => fitCell(cell, columns[at]?.max)))]
  const widthIn = (row: readonly string[], at: number) => textWidth(row[at] ?? '')
  const widths = columns.map((_, at) => lines.reduce((most, row) => Math.max(most, widthIn(row, at)), 0))
  return lines.map((row) =>
    columns
      .map(({ align }, at) => {
        const cell = row[at] ?? ''
        const space = ' '.repeat((widths[at] ?? 0) - widthIn(row, at))
        return align === 'right' ? `${space}${cell}` : `${cell}${space}`
      })
      .join('  ')
      .trimEnd(),
  )
}

/** The number of terminal columns that a text takes. Stops counting above `most`. */
function textWidth(text: string, most = Number.POSITIVE_INFINITY): number {
  const plain = text.includes('\u001b') ? text.replace(/\u001b\[\d+m/g, '') : text
  if (narrow.test(plain)) return plain.length
  let width = 0
  for (const character of charactersOf(plain)) {
    width += characterWidth(character)
    if (width > most) break
  }
  return width
}

/** Code points that may join the one before into one character: marks, joiners, jamo, flags, skin tones. */
const joining = /[\p{M}\p{Cf}\u1100-\u11ff\u{1f1e6}-\u{1f1ff}\u{1f3fb}-\u{1f3ff}]/u
let segmenter: Intl.Segmenter | undefined

/** Splits a text into grapheme clusters: a letter with its marks, an emoji sequence, a flag. */
function* charactersOf(text: string): Generator<string> {
  if (!joining.test(text)) return yield* text
  segmenter ??= new Intl.Segmenter('en')
  for (const { segment } of segmenter.segment(text)) yield segment
}

function characterWidth(character: string): number {
  if (/[\ufe0f\u{1f1e6}-\u{1f1ff}]/u.test(character)) return 2
  const [first = ''] = character
  return zero.test(first) ? 0 : wide.test(first) ? 2 : 1
}

export function fitCell(text: string, max = Number.POSITIVE_INFINITY): string {
  if (narrow.test(text)) return text.length <= max ? text : `${text.slice(0, max - 1).trimEnd()}…`
  if (textWidth(text, max) <= max) return text
  let kept = ''
  let width = 1
  // All style codes are kept, so that a style open at the cut is closed again.
  for (const part of text.split(/(\u001b\[\d+m)/)) {
    if (part.startsWith('\u001b')) kept += part
    else
      for (const char of charactersOf(part)) {
        width += textWidth(char)
        if (width <= max) kept += char
        else if (width - textWidth(char) <= max) kept = `${kept.trimEnd()}…`
        else break
      }
  }
  return kept
}

export function wrapText(text: string, max: number, indent = '  '): string[] {
  if (textWidth(text) <= max) return [text]
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`
    if (line === '' || textWidth(longer) <= max) line = longer
    else {
      lines.push(line)
      line = `${indent}${word}`
    }
  }
  return [...lines, line]
}
