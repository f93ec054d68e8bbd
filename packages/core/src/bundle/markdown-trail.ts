import type { TrailEntry } from './schema.ts'

// `- e17 user: text` or, for text of several lines, `- e17 user:` and a quoted block.
const head = /^- (e[1-9]\d*)(?:-(e[1-9]\d*))? ([^\s:]+):(?: (.*))?$/

/** Lines of the trail; a heading `### agent` stands where the agent changes, the first entries being of `main`. */
export function formatTrail(trail: readonly TrailEntry[]): string[] {
  const lines: string[] = []
  let agent = 'main'
  for (const entry of trail) {
    if (entry.agent !== agent) lines.push(`### ${entry.agent}`)
    agent = entry.agent
    lines.push(...formatTrailEntry(entry))
  }
  return lines
}

/** Lines of one entry, without the heading of its agent. */
export function formatTrailEntry(entry: TrailEntry): string[] {
  const events = entry.until === undefined ? entry.event : `${entry.event}-${entry.until}`
  const start = `- ${events} ${entry.label}:`
  if (entry.text === '') return [start]
  if (!entry.text.includes('\n')) return [`${start} ${entry.text}`]
  return [start, ...entry.text.split('\n').map((line) => (line === '' ? '>' : `> ${line}`))]
}

/** Reverse of `formatTrail`. Throws SyntaxError on other lines. */
export function parseTrail(lines: readonly string[]): unknown[] {
  const entries: { event: string; until?: string; agent: string; label: string; text: string }[] = []
  let agent = 'main'
  let block: string[] | undefined
  for (const line of lines) {
    if (line.startsWith('>')) {
      const last = entries.at(-1)
      if (last === undefined || block === undefined) throw new SyntaxError('trail: quoted text without an entry')
      block.push(line.slice(line.startsWith('> ') ? 2 : 1))
      last.text = block.join('\n')
      continue
    }
    if (line.startsWith('### ')) {
      agent = line.slice(4)
      continue
    }
    const match = head.exec(line)
    if (match === null) throw new SyntaxError(`trail: expected "- e1 label: text", got ${JSON.stringify(line.slice(0, 60))}`)
    const [, event = '', until, label = '', text = ''] = match
    entries.push({ event, ...(until === undefined ? {} : { until }), agent, label, text })
    block = text === '' ? [] : undefined
  }
  return entries
}
