import { shareOf } from '@tenfold/measure'
import { type MetricName, markdownTable, metricNames } from '@tenfold/measure/internal'
import type { CaseResult } from './measure-case.ts'
import type { NeedleReport } from './needles/needles.ts'
import { type Summary, summarize } from './statistics.ts'

/** The gates of the offline compressor. */
const gates: Partial<Record<MetricName, number>> = {
  edited: 0.99,
  cmds: 0.95,
  lastUser: 0.98,
  constr: 1,
  uids: 0.9,
  errors: 0.9,
  futPath: 0.8,
  futSym: 0.56,
  faith: 1,
  cmdExit: 0.95,
}

/** All numbers of one method over all cases. A metric that had no facts to keep in any case is absent. */
export interface MethodSummary {
  readonly method: string
  readonly tokens: number
  readonly ratio: number
  readonly metrics: Partial<Record<MetricName, Summary>>
}

/** Sums up each method that any case has. */
export function summarizeMethods(cases: readonly CaseResult[]): MethodSummary[] {
  const names = [...new Set(cases.flatMap((one) => one.methods.map(({ method }) => method)))]
  return names.map((method) => {
    const results = cases.flatMap((one) =>
      one.methods
        .filter((result) => result.method === method)
        .map((result) => ({ ...result, repo: one.repo })),
    )
    const mean = (value: (result: (typeof results)[number]) => number) =>
      results.reduce((sum, result) => sum + value(result), 0) / results.length
    const metrics: Partial<Record<MetricName, Summary>> = {}
    for (const name of metricNames) {
      const summary = summarize(
        results.flatMap(({ repo, scores }) => {
          const value = shareOf(scores[name])
          return value === undefined ? [] : [{ repo, value }]
        }),
      )
      if (summary !== undefined) metrics[name] = summary
    }
    return { method, tokens: mean(({ tokens }) => tokens), ratio: mean(({ ratio }) => ratio), metrics }
  })
}

/** The tables for people: methods by metric, Tenfold's spread against the gates, and resume points. */
export function renderReport(cases: readonly CaseResult[]): string {
  const methods = summarizeMethods(cases)
  const means = markdownTable(
    ['method', 'tokens', 'ratio', ...metricNames],
    methods.map(({ method, tokens, ratio, metrics }) => [
      method,
      tokens.toFixed(0),
      `${(ratio * 100).toFixed(1)}%`,
      ...metricNames.map((name) => metrics[name]?.mean.toFixed(3) ?? '-'),
    ]),
  )
  const tenfold = methods[0]
  const spread = markdownTable(
    ['metric', 'n', 'mean', '95 %', 'by repository', 'worst tenth', 'gate', ''],
    metricNames.flatMap((name) => {
      const summary = tenfold?.metrics[name]
      if (summary === undefined) return []
      const gate = gates[name]
      const { n, mean, low, high, macro, worst } = summary
      const interval = `${low.toFixed(3)}-${high.toFixed(3)}`
      const verdict = gate === undefined ? '' : isBelow(mean, gate) ? 'below' : 'ok'
      return [
        [
          name,
          String(n),
          mean.toFixed(3),
          interval,
          macro.toFixed(3),
          worst.toFixed(3),
          gate?.toFixed(2) ?? '',
          verdict,
        ],
      ]
    }),
  )
  const commands = cases.flatMap(({ nextCommand }) => nextCommand ?? [])
  const known = commands.filter((command) => command.known).length
  const kept = cases.filter(({ withinBudget }) => withinBudget).length
  return [
    means,
    '',
    spread,
    '',
    `budget kept and counted right: ${kept} of ${cases.length}; next command: ${known} of ${commands.length} occur in the log, ${cases.length - commands.length} cases name none`,
  ].join('\n')
}

/** Whether a value is below the gate as printed, with three decimals. */
export function isBelow(mean: number, gate: number): boolean {
  return mean < gate - 0.0005
}

/** The cases that pull Tenfold's metrics below their gates, with what was missed. */
export function renderWorst(cases: readonly CaseResult[], count: number): string {
  const [tenfold] = summarizeMethods(cases)
  const lines = metricNames.flatMap((name) => {
    const gate = gates[name]
    const mean = tenfold?.metrics[name]?.mean
    if (gate === undefined || mean === undefined || !isBelow(mean, gate)) return []
    const worst = cases
      .flatMap((one) =>
        one.methods[0] === undefined ? [] : [{ name: one.name, score: one.methods[0].scores[name] }],
      )
      .filter(({ score }) => score.kept < score.of)
      .sort((a, b) => a.score.kept / a.score.of - b.score.kept / b.score.of)
      .slice(0, count)
    return [
      `### ${name}: ${mean.toFixed(3)}, gate ${gate}`,
      ...worst.map(
        ({ name: file, score }) =>
          `- ${file}: ${score.kept} of ${score.of}; missed ${score.missed
            .slice(0, 12)
            .map((text) => JSON.stringify(text))
            .join(', ')}`,
      ),
      '',
    ]
  })
  return lines.join('\n')
}

/** The needle tables. */
export function renderNeedles({ sessions, byKind, byPlace, recalled, stale }: NeedleReport): string {
  const rows = [...byKind, ...byPlace, ['stale', stale] as const].map(([name, score]) => [
    name,
    String(score.of),
    (shareOf(score) ?? 1).toFixed(3),
    shareOf(recalled.get(name) ?? { kept: 0, of: 0, missed: [] })?.toFixed(3) ?? '',
    score.missed[0] ?? '',
  ])
  return [
    `${sessions} synthetic sessions; \`stale\` is the share of checks that pass`,
    '',
    markdownTable(['needle', 'n', 'kept', 'with one recall', 'first missed'], rows),
  ].join('\n')
}
