import { type Score, shareOf } from '@tenfold/measure'
import { markdownTable, metricNames } from '@tenfold/measure/internal'
import { literalSorts } from './literals.ts'
import type { CaseBrief, LabelledBrief } from './measure-brief.ts'
import { labelMetrics } from './measure-labels.ts'

/** The tables about briefs of `maxTokens`; `worst` lists as many of the labels that each brief lacks. */
export function renderBriefs(
  labelled: readonly LabelledBrief[],
  cases: readonly CaseBrief[],
  maxTokens: number,
  worst: number,
): string {
  return [
    ...(labelled.length === 0 ? [] : [labelTable(labelled, maxTokens)]),
    ...(labelled.length === 0 || worst === 0 ? [] : [missedLabels(labelled, worst)]),
    ...(cases.length === 0 ? [] : [caseTable(cases)]),
  ].join('\n\n')
}

function labelTable(results: readonly LabelledBrief[], maxTokens: number): string {
  const row = (name: string, pick: (of: LabelledBrief['brief']) => Score) => {
    const [brief, bundle] = [
      total(results.map((one) => pick(one.brief))),
      total(results.map((one) => pick(one.bundle))),
    ]
    return [name, `${brief.of}`, share(brief), share(bundle)]
  }
  return [
    markdownTable(
      ['labels and exact values', 'of', `brief of ${maxTokens}`, 'bundle'],
      [
        ...labelMetrics.map((metric) => row(metric, ({ labels }) => labels[metric])),
        ...literalSorts.map((sort) => row(`whole: ${sort}`, ({ literals }) => literals[sort])),
      ],
    ),
    `${results.length} labelled sessions`,
  ].join('\n\n')
}

function caseTable(results: readonly CaseBrief[]): string {
  const names = [...new Set(results.flatMap(({ texts }) => texts.map(({ name }) => name)))]
  const columns = [...metricNames, 'firstHalf', 'secondHalf'] as const
  const rows = names.map((name) => {
    const texts = results.flatMap((one) => one.texts.filter((text) => text.name === name))
    const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
    return [
      name,
      mean(texts.map(({ tokens }) => tokens)).toFixed(0),
      ...columns.map((column) => {
        const shares = texts.flatMap(({ scores }) => shareOf(scores[column]) ?? [])
        return shares.length === 0 ? '-' : mean(shares).toFixed(3)
      }),
    ]
  })
  return [markdownTable(['text', 'tokens', ...columns], rows), `${results.length} logs`].join('\n\n')
}

function missedLabels(results: readonly LabelledBrief[], count: number): string {
  return results
    .map(({ name, brief }) => {
      const missed = [
        ...labelMetrics.slice(0, 5).flatMap((metric) => brief.labels[metric].missed.slice(0, count)),
        ...literalSorts.flatMap((sort) =>
          brief.literals[sort].missed.slice(0, count).map((text) => `${sort} ${text}`),
        ),
      ]
      return [`### ${name}`, ...missed.map((text) => `    - ${text}`)].join('\n')
    })
    .join('\n\n')
}

function total(scores: readonly Score[]): Score {
  return {
    kept: scores.reduce((sum, { kept }) => sum + kept, 0),
    of: scores.reduce((sum, { of }) => sum + of, 0),
    missed: [],
  }
}

function share(score: Score): string {
  return shareOf(score)?.toFixed(3) ?? '-'
}
