import type { TokenCounter } from '../tokens/token-counter.ts'
import type { Excerpt } from './excerpt.ts'
import { linePart } from './tool-line.ts'

/**
 * Folds consecutive calls of one tool that only look around into one excerpt whose line names each target once: `x6
 * a.ts, b.ts`. Their outputs remain as parts.
 */
export function foldRuns(excerpts: readonly Excerpt[], counter: TokenCounter): readonly Excerpt[] {
  if (!excerpts.some((excerpt, at) => joins(excerpt, excerpts[at + 1]))) return excerpts
  const folded: Excerpt[] = []
  for (let at = 0; at < excerpts.length; ) {
    const first = excerpts[at]
    if (first === undefined) break
    let end = at + 1
    while (end < excerpts.length && joins(first, excerpts[end])) end++
    folded.push(end - at > 1 ? fold(excerpts.slice(at, end), counter) : first)
    at = end
  }
  return folded
}

function joins(first: Excerpt, next: Excerpt | undefined): boolean {
  return (
    next !== undefined &&
    first.looks === true &&
    next.looks === true &&
    next.label === first.label &&
    next.agent === first.agent &&
    next.turn === first.turn
  )
}

function fold(run: readonly Excerpt[], counter: TokenCounter): Excerpt {
  const [first] = run as [Excerpt]
  const last = run.at(-1) ?? first
  const lines = run.flatMap((excerpt) => excerpt.parts.filter((part) => part.class === 'line'))
  const targets = [...new Set(lines.map((line) => line.text))]
  return {
    ...first,
    until: last.event,
    position: last.position,
    parts: [
      {
        ...linePart(
          `x${run.length} ${targets.join(', ')}`,
          lines[0]?.suffix === ' -> ok' ? ' -> ok' : '',
          counter,
        ),
        calls: run.length,
        targets,
      },
      ...run.flatMap((excerpt) => excerpt.parts.filter((part) => part.class !== 'line')),
    ],
  }
}
