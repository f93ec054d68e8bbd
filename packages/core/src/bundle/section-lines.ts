import { known } from '../session/known.ts'
import { carried, itemParts } from './item-forms.ts'
import { formatItem, formatText } from './item-line.ts'
import { formatTrail, parseTrail } from './markdown-trail.ts'
import { parseItem, parseText, readItem } from './read-item.ts'
import type { ContextBundle } from './schema.ts'
import { itemsAt, type Section, valueAt } from './section.ts'
import { type SectionKey, sections } from './sections.ts'

interface OwnLines<T> {
  /** Gets undefined if there is no value. */
  readonly write: (value: T) => Iterable<string>
  /** Reverse of it. */
  readonly read: (lines: readonly string[]) => unknown
}

/** The sections whose lines are not one for each item. */
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
  /** Items that come from the same bundle follow each other: only the first of them names it. */
  carried: {
    write: (items: NonNullable<ContextBundle['carried']> = []) =>
      items.map((item, index) => {
        const parts = itemParts(carried, item)
        const isNamed = item.from === items[index - 1]?.from
        return formatItem(isNamed ? parts : { ...parts, fields: [...parts.fields, ['from', item.from]] })
      }),
    read: (lines) => {
      let from: string | undefined
      return lines.map((line) => {
        from = parseItem(line).fields.find(([name]) => name === 'from')?.[1] ?? from
        return { ...readItem(carried, line), ...known({ from }) }
      })
    },
  },
  /** One line, separated by commas. */
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

/** Returns the lines of a section in Markdown, without its heading. */
export function writeLines(key: SectionKey, bundle: ContextBundle): Iterable<string> {
  const section: Section = sections[key]
  const own = ownLines[key]
  if (own !== undefined) return own.write(valueAt(bundle, section.path) as never)
  if (section.type !== 'list') return formatText(String(valueAt(bundle, section.path) ?? ''))
  return itemsAt(bundle, section.path).map((item) => formatItem(itemParts(section.form, item as object)))
}

/** Returns the value of a section from its lines, validated later. Throws SyntaxError on a line of another form. */
export function readLines(key: SectionKey, lines: readonly string[]): unknown {
  const section: Section = sections[key]
  const own = ownLines[key]
  if (own !== undefined) return own.read(lines)
  if (section.type !== 'list') return parseText(lines)
  const items = lines.map((line) => readItem(section.form, line))
  return section.isOptional ? items[0] : items
}
