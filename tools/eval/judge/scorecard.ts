import { markdownTable } from '@tenfold/measure/internal'
import type { ProbeKind } from './probes.ts'
import { type Dimension, dimensions } from './requests.ts'
import type { Judged, JudgedAnswer } from './run-judge.ts'

interface MethodScore {
  readonly method: string
  readonly answers: number
  /** Mean of all dimensions, from 0 to 5. */
  readonly overall: number
  readonly dimensions: Readonly<Record<Dimension, number>>
  readonly byKind: Readonly<Partial<Record<ProbeKind, number>>>
  readonly falseStatements: number
}

export interface Scorecard {
  readonly methods: readonly MethodScore[]
  /** Weighted kappa of the first two judges over all scores; absent with one judge. */
  readonly agreement?: number
  readonly usage: Judged['usage']
}

/** Sums up the verdicts by method, the best one first. */
export function scorecardOf({ answers, usage }: Judged): Scorecard {
  const names = [...new Set(answers.map(({ method }) => method))]
  const methods = names
    .map((method) =>
      scoreOf(
        method,
        answers.filter((answer) => answer.method === method),
      ),
    )
    .sort((a, b) => b.overall - a.overall || (a.method < b.method ? -1 : 1))
  const agreement = agreementOf(answers)
  return { methods, ...(agreement === undefined ? {} : { agreement }), usage }
}

function scoreOf(method: string, answers: readonly JudgedAnswer[]): MethodScore {
  const verdicts = answers.flatMap((answer) => answer.verdicts)
  const kinds = [...new Set(answers.map(({ kind }) => kind))]
  const overallOf = (some: readonly JudgedAnswer[]) =>
    mean(
      some.flatMap((answer) => answer.verdicts).flatMap((verdict) => dimensions.map((name) => verdict[name])),
    )
  return {
    method,
    answers: answers.length,
    overall: overallOf(answers),
    dimensions: Object.fromEntries(
      dimensions.map((name) => [name, mean(verdicts.map((verdict) => verdict[name]))]),
    ) as Record<Dimension, number>,
    byKind: Object.fromEntries(
      kinds.map((kind) => [kind, overallOf(answers.filter((answer) => answer.kind === kind))]),
    ),
    falseStatements: verdicts.reduce((sum, verdict) => sum + verdict.falseStatements, 0),
  }
}

/** Quadratic weighted kappa: 1 for the same scores, 0 for what chance gives. */
function agreementOf(answers: readonly JudgedAnswer[]): number | undefined {
  const pairs = answers.flatMap(({ verdicts: [first, second] }) =>
    first === undefined || second === undefined
      ? []
      : dimensions.map((name) => [first[name], second[name]] as const),
  )
  if (pairs.length === 0) return undefined
  const seen = mean(pairs.map(([a, b]) => (a - b) ** 2))
  const counts = (at: 0 | 1) =>
    Array.from({ length: 6 }, (_, score) => pairs.filter((pair) => pair[at] === score).length / pairs.length)
  const [firsts, seconds] = [counts(0), counts(1)]
  const byChance = firsts.reduce(
    (sum, p, a) => sum + seconds.reduce((inner, q, b) => inner + p * q * (a - b) ** 2, 0),
    0,
  )
  return byChance === 0 ? 1 : 1 - seen / byChance
}

const mean = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length

/** The scorecard for people. */
export function renderScorecard({ methods, agreement, usage }: Scorecard): string {
  const kinds = [...new Set(methods.flatMap(({ byKind }) => Object.keys(byKind)))].sort() as ProbeKind[]
  const shown = (value: number | undefined) => (value === undefined ? '' : value.toFixed(2))
  return [
    markdownTable(
      ['method', 'answers', 'overall', ...dimensions, 'false'],
      methods.map((one) => [
        one.method,
        String(one.answers),
        shown(one.overall),
        ...dimensions.map((name) => shown(one.dimensions[name])),
        String(one.falseStatements),
      ]),
    ),
    markdownTable(
      ['method', ...kinds],
      methods.map(({ method, byKind }) => [method, ...kinds.map((kind) => shown(byKind[kind]))]),
    ),
    [
      ...(agreement === undefined
        ? []
        : [`agreement of two judges (weighted kappa): ${agreement.toFixed(2)}`]),
      `answers and verdicts took ${usage.inputTokens ?? 0} input and ${usage.outputTokens ?? 0} output tokens`,
    ].join('; '),
  ].join('\n\n')
}
