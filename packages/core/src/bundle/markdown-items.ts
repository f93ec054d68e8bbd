/** One statement of a bundle as one line: `- main | key: value | key: value [e1 e2]`. */
export interface ItemLine {
  readonly main: string
  readonly fields: readonly (readonly [key: string, value: string])[]
  readonly evidence: readonly string[]
  readonly unverified: boolean
}

const evidenceSuffix = / \[(?:unverified)?(?: ?e[1-9]\d*)*\]$/
const bar = /(?:^|\s)\|(?:\s|$)/
const quoted = /^"(?:[^"\\]|\\.)*"/

/** A value that could be misread is written as a JSON string; all others are written unchanged. */
function encodeValue(value: string): string {
  const ambiguous =
    value === '' ||
    value !== value.trim() ||
    value.startsWith('"') ||
    bar.test(value) ||
    evidenceSuffix.test(` ${value}`)
  return ambiguous ? JSON.stringify(value) : value
}

function decodeValue(value: string): string {
  return value.startsWith('"') ? String(JSON.parse(value)) : value
}

/** Writes one item line. */
export function formatItem(item: Partial<ItemLine> & { readonly main: string }): string {
  const fields = (item.fields ?? []).map(([key, value]) => ` | ${key}: ${encodeValue(value)}`)
  const marks = [...(item.unverified ? ['unverified'] : []), ...(item.evidence ?? [])]
  return `- ${encodeValue(item.main)}${fields.join('')}${marks.length > 0 ? ` [${marks.join(' ')}]` : ''}`
}

/** Reads one item line. Throws SyntaxError on a line that {@link formatItem} does not write. */
export function parseItem(text: string): ItemLine {
  if (!text.startsWith('- '))
    throw new SyntaxError(`expected a line that begins with "- ", got ${JSON.stringify(text.slice(0, 60))}`)
  let rest = text.slice(2)
  const suffix = evidenceSuffix.exec(rest)?.[0]
  const marks = suffix === undefined ? [] : suffix.slice(2, -1).split(' ')
  if (suffix !== undefined) rest = rest.slice(0, -suffix.length)
  const parts: string[] = []
  while (true) {
    const key = parts.length === 0 ? '' : (/^[a-z-]+: /.exec(rest)?.[0] ?? '')
    if (parts.length > 0 && key === '')
      throw new SyntaxError(`expected "key: value", got ${JSON.stringify(rest.slice(0, 60))}`)
    const string = quoted.exec(rest.slice(key.length))?.[0]
    const end = string === undefined ? rest.indexOf(' | ') : key.length + string.length
    if (end === -1 || end >= rest.length) {
      parts.push(rest)
      break
    }
    parts.push(rest.slice(0, end))
    rest = rest.slice(end + 3)
  }
  const [main = '', ...fields] = parts
  return {
    main: decodeValue(main),
    fields: fields.map((field) => {
      const colon = field.indexOf(': ')
      return [field.slice(0, colon), decodeValue(field.slice(colon + 2))] as const
    }),
    evidence: marks.filter((mark) => mark !== 'unverified'),
    unverified: marks.includes('unverified'),
  }
}

/** Returns the first value of a field, or undefined. */
export function fieldOf(item: ItemLine, key: string): string | undefined {
  return item.fields.find(([name]) => name === key)?.[1]
}

/** Returns all values of a field that may repeat. */
export function fieldsOf(item: ItemLine, key: string): string[] {
  return item.fields.filter(([name]) => name === key).map(([, value]) => value)
}

/** Makes a field list from an object, without absent values. */
export function fieldList(
  values: Record<string, string | number | boolean | undefined>,
): (readonly [string, string])[] {
  return Object.entries(values).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, String(value)] as const],
  )
}

/** Formats the free text of a section: a backslash escapes a line that would read as a heading. */
export function formatText(text: string): string[] {
  return text === '' ? [] : text.split('\n').map((line) => (/^[#\\]/.test(line) ? `\\${line}` : line))
}

/** Reverse of {@link formatText}. */
export function parseText(lines: readonly string[]): string {
  return lines.map((line) => (line.startsWith('\\') ? line.slice(1) : line)).join('\n')
}
