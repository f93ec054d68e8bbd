import { known } from '../session/known.ts'
import * as form from './item-forms.ts'
import { formatItem, formatText, type ItemLine, marksAtEnd } from './item-line.ts'
import { formatTrail, parseTrail } from './markdown-trail.ts'
import { parseUsage } from './markdown-usage.ts'
import type { ContextBundle } from './schema.ts'
import { itemsAt, type Section, valueAt } from './section.ts'
import { type SectionKey, sections } from './sections.ts'

interface OwnLines<T> {
  /** Receives undefined if there is no value. */
  readonly write: (value: T) => Iterable<string>
  readonly read: (lines: readonly string[]) => unknown
}

const ownLines: Partial<Record<SectionKey, OwnLines<never>>> = {
  /** `3 of 5 steps complete (60 %)`. */
  status: {
    write: (steps: NonNullable<ContextBundle['progress']>['steps']) => {
      if (steps === undefined) return []
      const { done, total } = steps
      const share = total === 0 ? '' : ` (${Math.floor((100 * done) / total)} %)`
      return [`${done} of ${total} steps complete${share}`]
    },
    read: ([text = '']) => {
      const [, done, total] = /^(\d+) of (\d+) steps complete(?: \(\d+ %\))?$/.exec(text) ?? []
      return { done: Number(done), total: Number(total) }
    },
  },
  /** Consecutive items of the same bundle name it only once. */
  carried: {
    write: (items: NonNullable<ContextBundle['carried']> = []) =>
      items.map((item, index) => {
        const parts = form.itemParts(form.carried, item)
        const isNamed = item.from === items[index - 1]?.from
        return formatItem(isNamed ? parts : { ...parts, fields: [...parts.fields, ['from', item.from]] })
      }),
    read: (lines) => {
      let from: string | undefined
      return lines.map((line) => {
        from = parseItem(line).fields.find(([name]) => name === 'from')?.[1] ?? from
        return { ...readItem(form.carried, line), ...known({ from }) }
      })
    },
  },
  identifiers: {
    write: (identifiers: readonly string[]) =>
      identifiers.length === 0
        ? []
        : [identifiers.map((name) => (/[\s,"]/.test(name) ? JSON.stringify(name) : name)).join(', ')],
    read: ([text = '']) =>
      (text.match(/"(?:[^"\\]|\\.)*"|[^\s,"]+/g) ?? []).map((name) =>
        name.startsWith('"') ? JSON.parse(name) : name,
      ),
  },
  trail: { write: formatTrail, read: parseTrail },
}

export function writeLines(key: SectionKey, bundle: ContextBundle): Iterable<string> {
  const section: Section = sections[key]
  const own = ownLines[key]
  if (own !== undefined) return own.write(valueAt(bundle, section.path) as never)
  if (section.type !== 'list') return formatText(String(valueAt(bundle, section.path) ?? ''))
  return itemsAt(bundle, section.path).map((item) => formatItem(form.itemParts(section.form, item as object)))
}

/** Returns the value of a section from its lines; the caller validates it. Throws SyntaxError for a line of another form. */
export function readLines(key: SectionKey, lines: readonly string[]): unknown {
  const section: Section = sections[key]
  const own = ownLines[key]
  if (own !== undefined) return own.read(lines)
  if (section.type !== 'list') return parseText(lines)
  const items = lines.map((line) => readItem(section.form, line))
  return section.isOptional ? items[0] : items
}

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

/** Reads an item from its line as plain values; the caller validates them. */
function readItem(shape: form.ItemForm, text: string): object {
  const { main, fields, evidence, unverified } = parseItem(text)
  const item: Record<string, unknown> = {
    [shape.main]: shape.box === undefined ? main : main.replace(box, ''),
  }
  if (shape.box === 'done' && main.startsWith('[x] ')) item.done = true
  for (const [name, key, write] of shape.fields) {
    const values = fields.filter(([other]) => other === name).map(([, value]) => value)
    const [value] = values
    if (write === form.change) Object.assign(item, readChange(value))
    else if (write === form.tokens && key === '') Object.assign(item, parseUsage(value ?? ''))
    else if (write === form.tokens) item[key] = parseUsage(value ?? '')
    else if (write === form.each || (write === form.some && values.length > 0)) item[key] = values
    else if (value !== undefined)
      item[key] = write === form.number ? Number(value) : write === form.joined ? value.split(', ') : value
  }
  if (main === 'Make it pass' && item.command !== undefined) item[shape.main] = `${main}: ${item.command}`
  return { ...item, ...(shape.cited && { evidence }), ...(unverified && { unverified: true }) }
}

function readChange(value = 'read'): object {
  const [, status, added, removed] = /^([a-z]+)(?: \+(\d+))?(?: -(\d+))?$/.exec(value) ?? []
  const lines = (count: string | undefined) => (count === undefined ? undefined : Number(count))
  return known({ status, added: lines(added), removed: lines(removed) })
}

/** Reverse of `formatText`. */
function parseText(lines: readonly string[]): string {
  return lines.map((line) => (line.startsWith('\\') ? line.slice(1) : line)).join('\n')
}
