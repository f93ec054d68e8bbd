import type { ItemParts } from './item-forms.ts'
import type { ContextBundle } from './schema.ts'
import { itemsAt, type Section, valueAt, withValue } from './section.ts'
import { kindOf, sectionEntries } from './sections.ts'
import { type SessionSummary, sessionSummarySchema } from './session-summary.ts'

/** Adds the wanted sections that a value lacks, each in its place and empty. */
export function withEmptySections<T extends object>(value: T, wanted: (section: Section) => boolean): T {
  return sectionEntries
    .filter(([, section]) => wanted(section) && valueAt(value, section.path) === undefined)
    .reduce(
      (filled, [, { path, empty }]) => (empty === undefined ? filled : withValue(filled, path, empty)),
      value,
    )
}

/** Returns an empty summary: what is left if a summarizer failed. */
export function emptySummary(): SessionSummary {
  const texts = { overview: '', resumeInstructions: '', fileReasons: [] }
  const isCommon = (section: Section) => 'statement' in section && kindOf(section) === undefined
  return sessionSummarySchema.parse(withEmptySections({ ...texts, workflow: {} }, isCommon))
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
