import { eventIndex, numberStatements, type Statement } from '@tenfold/core/internal/summarizer'
import type {
  Decision,
  EventId,
  NextStep,
  SessionSummary,
  ShownItem,
  TokenCounter,
  TranscriptItem,
} from '@tenfold/core/summarizer'
import { quoted } from './transcript.ts'

export interface EarlierTextOptions {
  readonly maxTokens: number
  readonly counter: TokenCounter
  /** The transcript that the model reads beside it. @default none */
  readonly beside?: readonly Pick<TranscriptItem, 'text'>[] | undefined
}

/**
 * The earlier summary as a model reads it: the fields about the whole session, then the numbered statements. If they
 * take more than `maxTokens`, only the open work, then those that name what the transcript names, then those that rest
 * on the newest events; the model cannot name the others, so they are kept.
 */
export function earlierText(earlier: SessionSummary, options: EarlierTextOptions): string {
  const { maxTokens, counter, beside = [] } = options
  const whole = wholeText(earlier)
  const decisions = new Map(
    numberStatements(earlier)
      .filter(({ list }) => list === 'decision')
      .map(({ id }, index) => [id, earlier.decisions[index]]),
  )
  const named = new Set(beside.flatMap(({ text }) => namesIn(text)))
  const statements = numberStatements(earlier)
    .filter(({ list }) => list !== 'next step')
    .map((statement, order) => ({
      order,
      rank: openLists.has(statement.list)
        ? 2
        : Number(namesIn(statement.text).some((name) => named.has(name))),
      newest: Math.max(-1, ...statement.evidence.map(eventIndex)),
      text: statementText(statement, decisions.get(statement.id)),
    }))
  let left = maxTokens - counter.count(whole)
  const kept = new Set<number>()
  const byNeed = statements.toSorted((a, b) => b.rank - a.rank || b.newest - a.newest || b.order - a.order)
  for (const { order, text } of byNeed) {
    left -= counter.count(text) + 1
    if (left < 0) break
    kept.add(order)
  }
  const listed = statements.filter(({ order }) => kept.has(order)).map(({ text }) => text)
  const more = statements.length - listed.length
  return [
    whole,
    ...(more > 0 ? [`(${more} other statements are not shown; they stay as they are)`] : []),
    ...listed,
  ]
    .filter((text) => text !== '')
    .join('\n')
}

/** Lists of what the new events may have done, answered or got out of the way. */
const openLists: ReadonlySet<string> = new Set<Statement['list']>([
  'task remaining',
  'in progress',
  'remaining',
  'blocker',
  'open question',
  'plan step',
])

/** Paths, identifiers and other words with a mark or a digit in them. */
function namesIn(text: string): string[] {
  return (text.match(/[\p{L}\p{N}_$@./:-]{4,120}/gu) ?? [])
    .map((word) => word.replace(/[.:]+$/, ''))
    .filter((word) => /[\d_$@./]|\p{Ll}\p{Lu}/u.test(word))
}

function wholeText({
  overview,
  workflow,
  nextSteps,
  resumeInstructions,
  ...sections
}: SessionSummary): string {
  const fields: [title: string, text: string | undefined][] = [
    ['summary', overview],
    ['phase', workflow.phase],
    ['currentTask', workflow.currentTask],
    ['approach', sections.plan?.approach],
    ['currentState', sections.progress?.currentState],
    ['researchDecision', sections.research?.decision],
    ['nextSteps', nextSteps.map(stepText).join('\n')],
    ['resumeInstructions', resumeInstructions],
  ]
  return fields
    .flatMap(([title, text]) => (text === undefined || text === '' ? [] : [`${title}:\n${quoted(text)}`]))
    .join('\n')
}

/** A next step with its number from `numberStatements`. */
function stepText({ action, command, evidence }: NextStep, index: number): string {
  return `n${index + 1} ${action}${command === undefined ? '' : ` (command: ${command})`}${eventList(evidence)}`
}

/** A decision also shows its topic, what was turned down and who decided: another one may contradict it. */
function statementText({ id, list, text, evidence }: Statement, decision?: Decision): string {
  const { topic, rationale, alternatives = [], by } = decision ?? {}
  const lines = [
    topic === undefined ? '' : `on: ${topic}`,
    text,
    rationale === undefined ? '' : `because: ${rationale}`,
    ...alternatives.map((alternative) => `over: ${alternative}`),
    by === undefined ? '' : `by: ${by}`,
  ]
  return `[${id}] ${list}${eventList(evidence)}\n${quoted(lines.filter((line) => line !== '').join('\n'))}`
}

function eventList(events: readonly EventId[]): string {
  return events.length === 0 ? '' : ` (${events.join(' ')})`
}

const sorts: Readonly<Record<ShownItem['as'], string>> = {
  constraint: 'demand of the user',
  rule: 'project rule',
  step: 'open step',
  decision: 'decision',
}

/** What earlier sessions left as a model reads it, a line for each item. All lines are quoted. */
export function carriedText(carried: readonly ShownItem[]): string {
  return carried
    .map(({ id, as, text }) => quoted(`${id} ${sorts[as]}: ${text.replace(/\s+/g, ' ')}`))
    .join('\n')
}
