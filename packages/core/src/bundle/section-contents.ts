import type * as z from 'zod/mini'
import type { BundleKind } from './bundle-names.ts'
import { line, text } from './fields.ts'
import { itemParts } from './item-forms.ts'
import type { ItemLine } from './item-line.ts'
import type { ContextBundle } from './schema.ts'
import { itemsAt, type Section, valueAt, withValue } from './section.ts'
import {
  isStatementKey,
  kindOf,
  type SectionKey,
  type StatementKey,
  sectionEntries,
  sections,
} from './sections.ts'
import { type SessionSummary, sessionSummarySchema } from './session-summary.ts'

export function withEmptySections<T extends object>(
  value: T,
  wanted: (section: Section, key: SectionKey) => boolean,
): T {
  return sectionEntries
    .filter(([key, section]) => wanted(section, key) && valueAt(value, section.path) === undefined)
    .reduce(
      (filled, [, { path, type, isOptional }]) =>
        isOptional ? filled : withValue(filled, path, type === 'text' ? '' : []),
      value,
    )
}

/** Returns an empty summary with the sections of a kind, for use if a summarizer failed. */
export function emptySummary(kind?: BundleKind): SessionSummary {
  const texts = { overview: '', resumeInstructions: '', fileReasons: [] }
  const isWanted = (section: Section, key: SectionKey) =>
    kindOf(section) === undefined ? isStatementKey(key) : kindOf(section) === kind
  return sessionSummarySchema.parse(withEmptySections({ ...texts, workflow: {} }, isWanted))
}

export function itemForm(key: StatementKey): FieldsForm {
  const summary = writtenForm(sessionSummarySchema)
  const list = sections[key].path.reduce<WrittenForm | undefined>(
    (form, name) => (form?.holds === 'fields' ? form.of[name] : undefined),
    summary,
  )
  if (list?.holds === 'list' && list.of.holds === 'fields') return list.of
  throw new TypeError(`expected ${key} to be a list of statements`)
}

interface SummarySection {
  readonly title: string
  readonly text: string
  readonly items: readonly ItemLine[]
}

export function summarySections(bundle: ContextBundle): SummarySection[] {
  return sectionEntries.flatMap(([key, section]): SummarySection[] => {
    const { title, path } = section
    if (section.type === 'text') return [{ title, text: String(valueAt(bundle, path) ?? ''), items: [] }]
    if (section.type !== 'list' || !isStatementKey(key)) return []
    return [
      {
        title,
        text: '',
        items: itemsAt(bundle, path).map((item) => itemParts(section.form, item as object)),
      },
    ]
  })
}

/**
 * The form in which a model or a person writes a field of a bundle: its schema without the fields that code adds. The
 * answer of a model and the fields of `save` are derived from it, so that a field is defined only once.
 */
export type WrittenForm = { readonly optional?: boolean } & (
  | { readonly holds: 'line' | 'text' | 'time' | 'flag' | 'count' }
  | { readonly holds: 'choice'; readonly of: readonly string[] }
  | { readonly holds: 'list'; readonly of: WrittenForm }
  | FieldsForm
)

export interface FieldsForm {
  readonly holds: 'fields'
  readonly of: Readonly<Record<string, WrittenForm>>
  /** The only required field of a statement: `text`, `choice`, `action` or `path`. Absent for other objects. */
  readonly main?: string
}

const computed: readonly string[] = ['evidence', 'unverified']

/** The internal definition of a zod schema, as far as it is needed here. */
interface Definition {
  readonly type: string
  readonly innerType: z.ZodMiniType
  readonly element: z.ZodMiniType
  readonly shape: Readonly<Record<string, z.ZodMiniType>>
  readonly entries: Readonly<Record<string, string>>
}

export function writtenForm(schema: z.ZodMiniType): WrittenForm {
  if (schema === line) return { holds: 'line' }
  if (schema === text) return { holds: 'text' }
  const { type, innerType, element, shape, entries } = schema._zod.def as unknown as Definition
  if (type === 'optional') return { ...writtenForm(innerType), optional: true }
  if (type === 'array') return { holds: 'list', of: writtenForm(element) }
  if (type === 'object') return fieldsForm(shape)
  if (type === 'enum') return { holds: 'choice', of: Object.values(entries) }
  if (type === 'literal') return { holds: 'flag' }
  return { holds: type === 'string' ? 'time' : 'count' }
}

function fieldsForm(shape: Definition['shape']): FieldsForm {
  const written = Object.entries(shape).filter(([name]) => !computed.includes(name))
  const of = Object.fromEntries(written.map(([name, field]) => [name, writtenForm(field)]))
  const main = Object.keys(of).find((name) => of[name]?.holds === 'line' && of[name]?.optional !== true)
  return { holds: 'fields', of, ...('evidence' in shape && main !== undefined && { main }) }
}
