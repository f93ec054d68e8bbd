import type { ContextBundle } from '../bundle/schema.ts'
import { type TextSection, valueAt, withValue } from '../bundle/section.ts'
import { sectionEntries } from '../bundle/sections.ts'
import { cutHead } from '../session/cut-text.ts'
import { shortenLines } from '../tokens/shorten-lines.ts'
import type { TokenCounter } from '../tokens/token-counter.ts'

/** Free texts keep their share; they say the most in few words, so lists do not displace them. */
export function shortenTexts(bundle: ContextBundle, whole: number, counter: TokenCounter): ContextBundle {
  return withTexts(bundle, (text, { maxShare }) => {
    const maxTokens = Math.floor(whole * maxShare(whole))
    return maxTokens < leastText ? '' : shortenLines(text, maxTokens, counter)
  })
}

function withTexts(
  bundle: ContextBundle,
  shorten: (text: string, section: TextSection) => string,
): ContextBundle {
  return sectionEntries.reduce((shortened, [, section]) => {
    const text = valueAt(bundle, section.path)
    if (section.type !== 'text' || typeof text !== 'string') return shortened
    return withValue(shortened, section.path, shorten(text, section).trim())
  }, bundle)
}

/** A text cut to fewer tokens says nothing. */
const leastText = 24

/** Characters of a text in the JSON. */
const maxText = 20_000

/** Cuts texts that no summary of a usual size fills. */
export function capTexts(bundle: ContextBundle): ContextBundle {
  return withTexts(bundle, (text) => cutHead(text, maxText))
}
