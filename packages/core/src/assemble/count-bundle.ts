import { bundleToMarkdown, headToMarkdown, sectionPieces } from '../bundle/markdown.ts'
import type { ContextBundle } from '../bundle/schema.ts'
import type { TokenCounter } from '../tokens/token-counter.ts'

/** Counts the tokens of a bundle's Markdown. */
export function countBundle(bundle: ContextBundle, counter: TokenCounter): number {
  return sectionsCounted(bundle, counter)(bundle)
}

/**
 * Counts the sections of a bundle, and returns a function that counts the whole of it, or of one with other front matter
 * and the same sections. If lines add up, the Markdown of a large bundle is counted in pieces: as a whole it would take
 * more memory than the bundle.
 */
export function sectionsCounted(
  bundle: ContextBundle,
  counter: TokenCounter,
): (same: ContextBundle) => number {
  if (counter.linesAddUp !== true) return (same) => counter.count(bundleToMarkdown(same))
  let tokens = 0
  let blankLine = ''
  for (const piece of sectionPieces(bundle)) {
    // The blank line before the first heading is counted with what precedes it: a cut is before the heading.
    tokens += counter.count(blankLine === '' ? piece.slice(1) : piece)
    blankLine = '\n'
  }
  return (same) => counter.count(`${headToMarkdown(same)}${blankLine}`) + tokens
}
