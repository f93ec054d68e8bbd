/** A statement of a bundle as one line: `- main | key: value | key: value [e1 e2]`. */
export interface ItemLine {
  readonly main: string
  readonly fields: readonly (readonly [key: string, value: string])[]
  readonly evidence: readonly string[]
  readonly unverified: boolean
}

/** Event ids at the end of a line, with `unverified` before them if the item is. */
export const marksAtEnd = / \[(?:unverified)?(?: ?e[1-9]\d*)*\]$/

const bar = /(?:^|\s)\|(?:\s|$)/

/** Writes an ambiguous value as a JSON string, and any other unchanged. */
function encodeValue(value: string): string {
  const ambiguous =
    value === '' ||
    value !== value.trim() ||
    value.startsWith('"') ||
    bar.test(value) ||
    marksAtEnd.test(` ${value}`)
  return ambiguous ? JSON.stringify(value) : value
}

export function formatItem(
  { main, fields, evidence, unverified }: ItemLine,
  write: (value: string) => string = encodeValue,
): string {
  const values = fields.map(([key, value]) => ` | ${key}: ${write(value)}`).join('')
  const marks = [...(unverified ? ['unverified'] : []), ...evidence].join(' ')
  return `- ${write(main)}${values}${marks === '' ? '' : ` [${marks}]`}`
}

/** Formats the free text of a section: a backslash escapes a line that would read as a heading. */
export function formatText(text: string): string[] {
  return text === '' ? [] : text.split('\n').map((line) => (/^[#\\]/.test(line) ? `\\${line}` : line))
}
