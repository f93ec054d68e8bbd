import type { Session } from '@tenfold/core'
import type { Score } from '@tenfold/measure'
import { eventLines, scoreOf } from '@tenfold/measure/internal'
import type { Gold } from '../gold/load-gold.ts'
import { isLike } from '../gold/words.ts'
import { type Literal, type LiteralSort, literalSorts, literalsIn } from './literals.ts'

/** Figures of a text for a reader, in the order of the table. */
export const labelMetrics = [
  'constraints',
  'project rules',
  'decisions',
  'open problems',
  'resume point',
  'first half',
  'second half',
] as const
type LabelMetric = (typeof labelMetrics)[number]

export interface LabelScores {
  readonly labels: Readonly<Record<LabelMetric, Score>>
  readonly literals: Readonly<Record<LiteralSort, Score>>
}

interface Label {
  readonly metric: LabelMetric
  readonly text: string
  /** Any of them in a line means that the line says it. */
  readonly forms: readonly string[]
  readonly half: 'first half' | 'second half' | undefined
}

/** Which labels and which exact values of labels a text about the session holds, each in one line or as a whole. */
export function labelScorer(gold: Gold, session: Session): (text: string) => LabelScores {
  const events = session.events.map((event) => plain(eventLines(event)))
  const log = events.join('\n')
  const labels = labelsOf(gold, events)
  const literals = literalsOf(gold).filter(({ text }) => log.includes(plain(text)))
  return (text) => {
    const lines = text.split('\n')
    const whole = plain(text)
    const holds = ({ forms }: Label) =>
      forms.some((form) => lines.some((line) => isLike(form, line))) ||
      forms.some((form) => whole.includes(plain(form)))
    const score = (of: readonly Label[]) => scoreOf(of, holds, (label) => `${label.metric}: ${label.text}`)
    return {
      labels: Object.fromEntries(
        labelMetrics.map((metric) => [
          metric,
          score(labels.filter((label) => label.metric === metric || label.half === metric)),
        ]),
      ) as Record<LabelMetric, Score>,
      literals: Object.fromEntries(
        literalSorts.map((sort) => [
          sort,
          scoreOf(
            literals.filter((literal) => literal.sort === sort),
            (literal) => holdsWhole(whole, plain(literal.text)),
            (literal) => literal.text,
          ),
        ]),
      ) as Record<LiteralSort, Score>,
    }
  }
}

function labelsOf(gold: Gold, events: readonly string[]): Label[] {
  const half = (quote: string): Label['half'] => {
    const start = plain(quote).slice(0, 60)
    const at = start === '' ? -1 : events.findIndex((event) => event.includes(start))
    return at === -1 ? undefined : at < events.length / 2 ? 'first half' : 'second half'
  }
  const label = (metric: LabelMetric, quote: string, ...others: readonly string[]): Label => ({
    metric,
    text: quote,
    forms: [quote, ...others],
    half: half(quote),
  })
  const { action, alsoRight } = gold.resume
  return [
    ...gold.constraints
      .filter(({ status }) => status.startsWith('holds'))
      .map(({ quote }) => label('constraints', quote)),
    ...gold.projectRules.map(({ quote }) => label('project rules', quote)),
    ...gold.decisions.map(({ quote, choice }) => label('decisions', quote, choice)),
    ...gold.openProblems.map(({ quote, text }) => label('open problems', quote, text)),
    { metric: 'resume point', text: action, forms: [action, ...alsoRight], half: undefined },
  ]
}

/** Exact values that decisions, open problems and the resume point rest on. */
function literalsOf({ decisions, openProblems, resume, constraints, projectRules }: Gold): Literal[] {
  const errors = openProblems
    .filter(({ quote }) => /error|fail|exception|denied|not found|cannot/i.test(quote))
    .map(({ quote }): Literal => ({ sort: 'error', text: quote }))
  const all = [
    ...(resume.command === '' ? [] : [{ sort: 'command' as const, text: resume.command }]),
    ...errors,
    ...[
      resume.action,
      ...decisions.flatMap(({ choice, quote }) => [choice, quote]),
      ...openProblems.map(({ text }) => text),
      ...constraints.map(({ quote }) => quote),
      ...projectRules.map(({ quote }) => quote),
    ].flatMap(literalsIn),
  ]
  return [...new Map(all.map((literal) => [literal.text, literal])).values()]
}

function plain(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

/** Whether a text holds a value, not only as a part of a longer word or number. */
export function holdsWhole(text: string, value: string): boolean {
  for (let at = text.indexOf(value); at !== -1; at = text.indexOf(value, at + 1)) {
    const before = text[at - 1] ?? ' '
    const after = text[at + value.length] ?? ' '
    const joins = (inside: string | undefined, outside: string) =>
      /\w/.test(inside ?? '') && /\w/.test(outside)
    if (!joins(value[0], before) && !joins(value.at(-1), after)) return true
  }
  return false
}
