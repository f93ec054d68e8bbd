import { bundleToMarkdown, headToMarkdown, piecesOf } from '../bundle/markdown.ts'
import type { ContextBundle } from '../bundle/schema.ts'
import { valueAt } from '../bundle/section.ts'
import { type SectionKey, sectionEntries, sections } from '../bundle/sections.ts'
import type { Steps } from '../session/pauses.ts'
import type { TokenCounter } from '../tokens/token-counter.ts'

/**
 * Counts the sections of a bundle, and returns a function that counts a whole bundle with these sections and any front
 * matter.
 */
export type CountSections = (bundle: ContextBundle) => Steps<(same: ContextBundle) => number>

/**
 * Returns a counter of bundles that counts each list of a section once, whatever bundles hold it. If lines add up, the
 * Markdown of a large bundle is counted in pieces: as a whole it would take more memory than the bundle.
 */
export function sectionsCounted(counter: TokenCounter): CountSections {
  if (counter.linesAddUp !== true)
    return function* countWhole() {
      yield
      return (same) => counter.count(bundleToMarkdown(same))
    }
  // Keyed weakly by the section's value: a trail may take as much memory as the session.
  const known = new WeakMap<object, CountedSection>()
  function* counted(key: SectionKey, bundle: ContextBundle, blankLine: string): Steps<CountedSection> {
    const value = valueAt(bundle, sections[key].path)
    const before = typeof value === 'object' && value !== null ? known.get(value) : undefined
    if (before?.key === key && before.blankLine === blankLine) return before
    const now = yield* countSection(key, bundle, blankLine, counter)
    if (typeof value === 'object' && value !== null) known.set(value, now)
    return now
  }
  return function* countSections(bundle) {
    let tokens = 0
    // The blank line before a heading counts with the previous text, because cuts are before headings.
    let blankLine = ''
    for (const [key] of sectionEntries.toReversed()) {
      const { tokens: own, isEmpty } = yield* counted(key, bundle, blankLine)
      tokens += own
      if (!isEmpty) blankLine = '\n'
    }
    return (same) => counter.count(`${headToMarkdown(same)}${blankLine}`) + tokens
  }
}

interface CountedSection {
  readonly key: SectionKey
  /** Blank line after the section. */
  readonly blankLine: string
  readonly tokens: number
  readonly isEmpty: boolean
}

function* countSection(
  key: SectionKey,
  bundle: ContextBundle,
  blankLine: string,
  counter: TokenCounter,
): Steps<CountedSection> {
  let tokens = 0
  let last = ''
  for (const piece of piecesOf(key, bundle)) {
    if (last !== '') tokens += counter.count(last)
    last = piece
    yield
  }
  const isEmpty = last === ''
  if (!isEmpty) tokens += counter.count(`${last}${blankLine}`)
  return { key, blankLine, tokens, isEmpty }
}
