import type { ContextBundle } from './schema.ts'
import { itemsAt, type Section, valueAt, withItems, withValue } from './section.ts'
import { lineOf, sectionEntries } from './sections.ts'

type ShownSection = NonNullable<NonNullable<ContextBundle['shown']>['sections']>[string]

/**
 * Returns the bundle that the Markdown of a bundle holds: its sections without what `shown` leaves out, and of `shown`
 * only the omitted front matter. Ignores positions beyond the end of a list, which somebody may have cut.
 */
export function asShown({ shown, ...whole }: ContextBundle): ContextBundle {
  if (shown === undefined) return whole
  const { without, sections = {} } = shown
  return sectionEntries.reduce<ContextBundle>(
    (fitted, [key, { path }]) => {
      const value = sections[key]
      if (value === undefined) return fitted
      const all = itemsAt(whole, path)
      if (typeof value === 'string') return withValue(fitted, path, value)
      const items = value.flatMap((item) => (typeof item === 'number' ? all.slice(item, item + 1) : item))
      return withItems(fitted, path, items)
    },
    without === undefined ? whole : { ...whole, shown: { without } },
  )
}

/** Returns the whole bundle with `shown`, which records how `fitted` was made from it by leaving out and shortening. */
export function showing(whole: ContextBundle, fitted: ContextBundle): ContextBundle {
  const sections = sectionEntries.flatMap(([key, section]): [string, ShownSection][] => {
    const [all, some] = [valueAt(whole, section.path), valueAt(fitted, section.path)]
    if (all === some) return []
    if (section.type === 'text') return [[key, String(some ?? '')]]
    const items = positions(section, itemsAt(whole, section.path), itemsAt(fitted, section.path))
    return items === undefined ? [] : [[key, items]]
  })
  const without = fitted.shown?.without
  return {
    ...whole,
    ...((without !== undefined || sections.length > 0) && {
      shown: {
        ...(without !== undefined && { without }),
        ...(sections.length > 0 && { sections: Object.fromEntries(sections) }),
      },
    }),
  }
}

/** Returns the items as positions in the whole list, or as items if they were shortened; undefined if the lists are equal. */
function positions(
  section: Section,
  all: readonly unknown[],
  some: readonly unknown[],
): ShownSection | undefined {
  const keyOf = (item: unknown) => (section.type === 'list' ? lineOf(section, item) : JSON.stringify(item))
  const places = new Map<unknown, number>()
  for (const [index, item] of all.entries()) places.set(item, index).set(keyOf(item), index)
  const items = some.map((item) => places.get(item) ?? places.get(keyOf(item)) ?? item)
  const isSame = items.length === all.length && items.every((item, index) => item === index)
  return isSame ? undefined : (items as ShownSection)
}
