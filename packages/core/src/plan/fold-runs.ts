import type { TokenCounter } from '../tokens/token-counter.ts'
import type { Excerpt } from './excerpt.ts'
import { linePart } from './tool-line.ts'

/**
 * Folds consecutive calls of one tool that only look around into one excerpt whose line names each target once: `x6
 * a.ts, b.ts`. Their outputs remain as parts.
 */
export function* foldRuns(excerpts: Iterable<Excerpt>, counter: TokenCounter): Generator<Excerpt> {
  let run: Excerpt[] = []
  for (const excerpt of excerpts) {
    if (run[0] !== undefined && !joins(run[0], excerpt)) {
      yield fold(run, counter)
      run = []
    }
    run.push(excerpt)
  }
  if (run[0] !== undefined) yield fold(run, counter)
}

function joins(first: Excerpt, next: Excerpt): boolean {
  return (
    first.looks === true &&
    next.looks === true &&
    next.label === first.label &&
    next.agent === first.agent &&
    next.turn === first.turn
  )
}

function fold(run: readonly Excerpt[], counter: TokenCounter): Excerpt {
  const [first] = run as [Excerpt]
  if (run.length === 1) return first
  const last = run.at(-1) ?? first
  const lines = run.flatMap((excerpt) => excerpt.parts.filter((part) => part.kind === 'line'))
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
      ...run.flatMap((excerpt) => excerpt.parts.filter((part) => part.kind !== 'line')),
    ],
  }
}
