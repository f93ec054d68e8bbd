import type { TrailEntry } from './schema.ts'

// Matches the first line of an entry, `- e17 user: first line`; its other lines follow as a quoted block.
const head = /^- (e[1-9]\d*)(?:-(e[1-9]\d*))? ([^\s:]+):(?: (.*))?$/

/**
 * Yields the trail line by line, because a large log has a million lines. A heading `### agent` marks each change of
 * agent; the first entries are of `main`.
 */
export function* formatTrail(trail: readonly TrailEntry[]): Generator<string, void> {
  let agent = 'main'
  for (const entry of trail) {
    if (entry.agent !== agent) yield `### ${entry.agent}`
    agent = entry.agent
    yield* formatTrailEntry(entry)
  }
}

export function formatTrailEntry(entry: TrailEntry): string[] {
  const events = entry.until === undefined ? entry.event : `${entry.event}-${entry.until}`
  const start = `- ${events} ${entry.label}:`
  if (entry.text === '') return [start]
  const [first, ...rest] = entry.text.split('\n')
  return [`${start} ${first}`, ...rest.map((line) => (line === '' ? '>' : `> ${line}`))]
}

/** Reverse of {@link formatTrail}. Throws SyntaxError for other lines. */
export function parseTrail(lines: readonly string[]): unknown[] {
  const entries: { event: string; until?: string; agent: string; label: string; text: string }[] = []
  let agent = 'main'
  for (const line of lines) {
    if (line.startsWith('>')) {
      const last = entries.at(-1)
      if (last === undefined) throw new SyntaxError('trail: quoted text without an entry')
      last.text += `\n${line.slice(line.startsWith('> ') ? 2 : 1)}`
      continue
    }
    if (line.startsWith('### ')) {
      agent = line.slice(4)
      continue
    }
    const match = head.exec(line)
    if (match === null)
      throw new SyntaxError(`trail: expected "- e1 label: text", got ${JSON.stringify(line.slice(0, 60))}`)
    const [, event = '', until, label = '', text = ''] = match
    entries.push({ event, ...(until === undefined ? {} : { until }), agent, label, text })
  }
  return entries
}
