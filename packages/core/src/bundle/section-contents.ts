import type { BundleKind } from './bundle-names.ts'
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
import { type FieldsForm, type WrittenForm, writtenForm } from './written-form.ts'

/** Adds the wanted sections that a value lacks, each in its place and empty. */
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

/** Returns an empty summary, with the sections of a kind: what is left if a summarizer failed. */
export function emptySummary(kind?: BundleKind): SessionSummary {
  const texts = { overview: '', resumeInstructions: '', fileReasons: [] }
  const isWanted = (section: Section, key: SectionKey) =>
    kindOf(section) === undefined ? isStatementKey(key) : kindOf(section) === kind
  return sessionSummarySchema.parse(withEmptySections({ ...texts, workflow: {} }, isWanted))
}

/** Returns the form of what is written for an item of a list. */
export function itemForm(key: StatementKey): FieldsForm {
  const summary = writtenForm(sessionSummarySchema)
  const list = sections[key].path.reduce<WrittenForm | undefined>(
    (form, name) => (form?.holds === 'fields' ? form.of[name] : undefined),
    summary,
  )
  if (list?.holds === 'list' && list.of.holds === 'fields') return list.of
  throw new TypeError(`expected ${key} to be a list of statements`)
}

/** A section that a summarizer writes: a text, or a list of items. */
interface SummarySection {
  readonly title: string
  readonly text: string
  readonly items: readonly ItemLine[]
}

/** Returns what the summarizer wrote for a bundle, section by section, in the order of its Markdown. */
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
