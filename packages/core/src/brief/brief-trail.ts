import { formatTrailEntry } from '../bundle/markdown-trail.ts'
import type { ContextBundle, TrailEntry } from '../bundle/schema.ts'
import type { ScoreSentence } from '../plan/condense.ts'
import type { Excerpt, ExcerptPart, PartKind } from '../plan/excerpt.ts'
import { trailFiller } from '../plan/fill.ts'
import { namesAndNumbers, scorerByNames } from '../plan/score-sentence.ts'
import type { TokenCounter } from '../tokens/token-counter.ts'

/** Minimum tokens of a brief's trail: with fewer it would say too little. */
const minRoom = 60

/**
 * Returns the main agent's trail in at most `room` tokens, oldest first, under a title: the whole session, every entry
 * shortened by its kind, the newest ones least. Content of other blocks of the brief is left out.
 */
export function briefTrail(bundle: ContextBundle, room: number, counter: TokenCounter): string[] {
  if (room < minRoom) return []
  const main = bundle.trail.filter((entry) => entry.agent === 'main')
  const counts = countNames(main)
  const partOf = (kind: PartKind, text: string): ExcerptPart => ({
    kind,
    text,
    tokens: counter.count(text),
    lines: text.split('\n').length - 1,
    ...(namesIn(text).some((name) => (counts.get(name) ?? 1) === 1) ? { unique: true as const } : {}),
  })
  const lastUser = main.findLast((entry) => entry.label === 'user')
  const excerpts = main.flatMap((entry, index) =>
    entry === lastUser ? [] : [excerptOf(entry, index, main, partOf)],
  )
  const scoreSentence = scorerFor(bundle, counts)
  const title = ['', '## What happened, oldest first']
  const fill = trailFiller(excerpts, counter, scoreSentence)
  for (const share of shares) {
    const entries = fill(room * share)
    const lines = [...title, ...entries.flatMap(formatTrailEntry)]
    if (entries.length > 0 && counter.count(`${lines.join('\n')}\n`) <= room) return lines
  }
  return []
}

/** Sizes of entries are estimates, so a trail may come out smaller or larger than the room that it was filled for. */
const shares = [2, 1.6, 1.3, 1.15, 1, 0.95, 0.9, 0.8, 0.65, 0.5]

function excerptOf(
  { event, until, agent, label, text }: TrailEntry,
  index: number,
  main: readonly TrailEntry[],
  partOf: (kind: PartKind, text: string) => ExcerptPart,
): Excerpt {
  const isWords = wordLabels.has(label)
  const [line = '', ...rest] = text.split('\n')
  const body = rest.join('\n')
  return {
    event,
    ...(until === undefined ? {} : { until }),
    agent,
    turn: 0,
    label,
    type: 'other',
    position: main.length < 2 ? 1 : index / (main.length - 1),
    parts: isWords
      ? [partOf(wordKind(label, index, main), text)]
      : [linePart(partOf('past-line', line)), ...(body === '' ? [] : [partOf(bodyKind(label, line), body)])],
  }
}

const wordLabels: ReadonlySet<string> = new Set([
  'user',
  'assistant',
  'plan',
  'reasoning',
  'context',
  'compaction',
  'task',
])

function wordKind(label: string, index: number, main: readonly TrailEntry[]): PartKind {
  switch (label) {
    case 'user':
    case 'plan':
    case 'reasoning':
    case 'compaction':
      return label
    case 'task':
      return 'agent-task'
    case 'assistant': {
      const next = main.slice(index + 1, index + 4).find((entry) => entry.label !== 'reasoning')
      if (next === undefined) return 'last-answer'
      return next.label === 'user' ? 'answer' : 'chatter'
    }
    default:
      return 'context'
  }
}

function bodyKind(label: string, line: string): PartKind {
  if (/ -> (?!ok$)\S/.test(line.slice(-40))) return 'error-body'
  if (/plan/i.test(label)) return 'proposal'
  if (/question|request_user_input/i.test(label)) return 'question'
  if (/^(?:Task|Agent)$|_agent$/.test(label)) return 'agent-report'
  return /edit|write|patch|replace|create/i.test(label) ? 'edit-body' : 'output-body'
}

/** A line whose outcome stays however short the line is cut. */
function linePart({ unique, ...part }: ExcerptPart): ExcerptPart {
  const at = part.text.lastIndexOf(' -> ')
  return at === -1 ? part : { ...part, text: part.text.slice(0, at), suffix: part.text.slice(at) }
}

const mark = /\[…\d{1,9}\]/g

function namesIn(text: string): string[] {
  return namesAndNumbers(text.replace(mark, ' '))
}

function countNames(entries: readonly TrailEntry[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { text } of entries)
    for (const name of namesIn(text)) counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
}

/** Scores a sentence in this bundle: 0 if a list already holds it, or if it is a gap mark. */
function scorerFor(bundle: ContextBundle, counts: ReadonlyMap<string, number>): ScoreSentence {
  const listed = new Set([
    ...bundle.constraints.map(({ text }) => text),
    ...bundle.decisions.map(({ choice }) => choice),
    ...bundle.findings.map(({ text }) => text),
  ])
  const scoreSentence = scorerByNames((name) => counts.get(name) ?? 1)
  return (segment) => {
    const words = segment.replace(mark, ' ').trim()
    return words === '' || listed.has(words) ? -10 : scoreSentence(words)
  }
}
