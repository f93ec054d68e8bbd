import type { BundleKind } from './bundle-names.ts'
import type { ItemParts } from './item-forms.ts'
import type { ContextBundle } from './schema.ts'
import { itemsAt, type Section, valueAt, withValue } from './section.ts'
import { kindOf, type StatementKey, sectionEntries, sections } from './sections.ts'
import { type SessionSummary, sessionSummarySchema } from './session-summary.ts'
import { type FieldsForm, type WrittenForm, writtenForm } from './written-form.ts'

/** Adds the wanted sections that a value lacks, each in its place and empty. */
export function withEmptySections<T extends object>(value: T, wanted: (section: Section) => boolean): T {
  return sectionEntries
    .filter(([, section]) => wanted(section) && valueAt(value, section.path) === undefined)
    .reduce(
      (filled, [, { path, empty }]) => (empty === undefined ? filled : withValue(filled, path, empty)),
      value,
    )
}

/** Returns an empty summary, with the sections of a kind: what is left if a summarizer failed. */
export function emptySummary(kind?: BundleKind): SessionSummary {
  const texts = { overview: '', resumeInstructions: '', fileReasons: [] }
  const isWanted = (section: Section) =>
    kindOf(section) === undefined ? 'statement' in section : kindOf(section) === kind
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
  readonly items: readonly ItemParts[]
}

/** Returns what the summarizer wrote for a bundle, section by section, in the order of its Markdown. */
export function summarySections(bundle: ContextBundle): SummarySection[] {
  return sectionEntries.flatMap(([, section]): SummarySection[] => {
    const { title, path } = section
    if (section.type === 'text') return [{ title, text: String(valueAt(bundle, path) ?? ''), items: [] }]
    if (!('statement' in section)) return []
    return [{ title, text: '', items: itemsAt(bundle, path).map((item) => section.item(item as never)) }]
  })
}
