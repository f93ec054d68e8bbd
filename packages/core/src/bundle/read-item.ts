import { known } from '../session/known.ts'
import { change, each, type ItemForm, joined, number, some, tokens } from './item-forms.ts'
import { type ItemLine, marksAtEnd } from './item-line.ts'
import { parseUsage } from './markdown-usage.ts'

const quoted = /^"(?:[^"\\]|\\.)*"/

function decodeValue(value: string): string {
  return value.startsWith('"') ? String(JSON.parse(value)) : value
}

/** Reads one item line. Throws SyntaxError on a line that `formatItem` does not write. */
export function parseItem(text: string): ItemLine {
  if (!text.startsWith('- '))
    throw new SyntaxError(`expected a line that begins with "- ", got ${JSON.stringify(text.slice(0, 60))}`)
  let rest = text.slice(2)
  const suffix = marksAtEnd.exec(rest)?.[0]
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

const box = /^\[[x ]\] /

/** Reads an item of a form from its line: plain values, validated later. */
export function readItem(form: ItemForm, text: string): object {
  const { main, fields, evidence, unverified } = parseItem(text)
  const item: Record<string, unknown> = { [form.main]: form.box === undefined ? main : main.replace(box, '') }
  if (form.box === 'done' && main.startsWith('[x] ')) item.done = true
  for (const [name, key, write] of form.fields) {
    const values = fields.filter(([other]) => other === name).map(([, value]) => value)
    const [value] = values
    if (write === change) Object.assign(item, readChange(value))
    else if (write === tokens && key === '') Object.assign(item, parseUsage(value ?? ''))
    else if (write === tokens) item[key] = parseUsage(value ?? '')
    else if (write === each || (write === some && values.length > 0)) item[key] = values
    else if (value !== undefined)
      item[key] = write === number ? Number(value) : write === joined ? value.split(', ') : value
  }
  return { ...item, ...(form.cited && { evidence }), ...(unverified && { unverified: true }) }
}

function readChange(value = 'read'): object {
  const [, status, added, removed] = /^([a-z]+)(?: \+(\d+))?(?: -(\d+))?$/.exec(value) ?? []
  const lines = (count: string | undefined) => (count === undefined ? undefined : Number(count))
  return known({ status, added: lines(added), removed: lines(removed) })
}

/** Reverse of `formatText`. */
export function parseText(lines: readonly string[]): string {
  return lines.map((line) => (line.startsWith('\\') ? line.slice(1) : line)).join('\n')
}
