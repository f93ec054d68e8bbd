import type { TrailEntry } from '../bundle/schema.ts'

/**
 * Folds consecutive calls of which the cut left the same words into one entry, `x4 curl -X POST […27] -> ok`: again and
 * again they would say nothing new.
 */
export function foldAlike(entries: readonly TrailEntry[]): TrailEntry[] {
  const runs: TrailEntry[][] = []
  for (const entry of entries) {
    const run = runs.at(-1)
    if (run?.[0] !== undefined && areAlike(run[0], entry)) run.push(entry)
    else runs.push([entry])
  }
  return runs.flatMap(fold)
}

const mark = /\[…\d{1,9}\]/g

function areAlike(first: TrailEntry, next: TrailEntry): boolean {
  return (
    first.label === next.label &&
    first.agent === next.agent &&
    isCutLine(first) &&
    isCutLine(next) &&
    first.text.replace(mark, '') === next.text.replace(mark, '')
  )
}

/** Whether an entry is the cut line of one call, without any of its output. */
function isCutLine({ text, until }: TrailEntry): boolean {
  return until === undefined && text.includes('[…') && !text.includes('\n') && / -> \S/.test(text)
}

function fold(run: readonly TrailEntry[]): TrailEntry[] {
  const [first] = run
  const last = run.at(-1)
  if (first === undefined || last === undefined || run.length === 1) return [...run]
  const { event, agent, label, text } = first
  return [{ event, until: last.event, agent, label, text: `x${run.length} ${text}` }]
}
