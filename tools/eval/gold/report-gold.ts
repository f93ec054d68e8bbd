import { shareOf } from '@tenfold/measure'
import { markdownTable } from '@tenfold/measure/internal'
import { isBelow } from '../report.ts'
import { type GoldMetric, goldMetrics } from './compare-labels.ts'
import type { LabelledResult } from './measure-gold.ts'

/** The gates of the offline compressor over all labelled sessions. */
const goldGates: Partial<Record<GoldMetric, number>> = {
  'constraints recall': 0.9,
  'constraints strict': 0.8,
  'constraints lenient': 0.95,
  'open problems recall': 0.4,
  'open problems precision': 0.6,
  'decisions recall': 0.3,
  'decisions precision': 0.8,
  'files recall': 0.9,
  'first command': 0.875,
  state: 0.75,
  'last check': 1,
}

/** One figure over all labelled sessions; `unknown` counts those whose bundle says nothing about it. */
export interface GoldTotal {
  readonly metric: GoldMetric
  readonly kept: number
  readonly of: number
  readonly unknown: number
}

/** Adds up each figure: every label counts the same, no matter which session it is from. */
export function totalGold(results: readonly LabelledResult[]): GoldTotal[] {
  return goldMetrics.map((metric) => ({
    metric,
    kept: results.reduce((sum, { scores }) => sum + scores[metric].kept, 0),
    of: results.reduce((sum, { scores }) => sum + scores[metric].of, 0),
    unknown: results.filter(({ unknown }) => unknown.includes(metric)).length,
  }))
}

/** The table of figures, with the results that need review. */
export function renderGold(results: readonly LabelledResult[]): string {
  const rows = totalGold(results).map(({ metric, kept, of, unknown }) => {
    const share = shareOf({ kept, of, missed: [] })
    const gate = goldGates[metric]
    // A check whose outcome is unknown is no error: only a wrong one misses the gate.
    const passed = metric === 'last check' ? kept + unknown : kept
    return [
      metric,
      `${kept} of ${of}`,
      share?.toFixed(3) ?? '-',
      unknown === 0 ? '' : `${unknown} unknown`,
      gate?.toFixed(3) ?? '',
      gate === undefined || share === undefined ? '' : isBelow(passed / of, gate) ? 'below' : 'ok',
    ]
  })
  const decisions = results.reduce((sum, result) => sum + result.decisions, 0)
  const solved = results.reduce((sum, { solvedShown }) => sum + solvedShown.length, 0)
  const doubtful = results.filter(({ resume }) => resume.is === 'doubtful')
  return [
    markdownTable(['figure', 'right', 'share', '', 'gate', ''], rows),
    '',
    `${results.length} labelled sessions; ${decisions} decisions in their bundles; ${solved} solved problems shown as open`,
    ...(doubtful.length === 0 ? [] : ['', `Resume points to read (${doubtful.length}):`]),
    ...doubtful.map(
      ({ name, resume }) => `- ${name}\n    says      ${resume.said}\n    expected  ${resume.expected}`,
    ),
  ].join('\n')
}

/** Lists what each bundle missed or got wrong, up to a number of entries of each figure. */
export function renderGoldDetails(results: readonly LabelledResult[], count: number): string {
  return results
    .map((result) => {
      const lines = goldMetrics.flatMap((metric) => {
        const { kept, of, missed } = result.scores[metric]
        return missed.length === 0
          ? []
          : [`${metric}: ${kept} of ${of}`, ...missed.slice(0, count).map((text) => `    - ${text}`)]
      })
      const solved = result.solvedShown.slice(0, count).map((text) => `    - ${text}`)
      const commands = result.commands.map(({ command, reason }) => `    - ${reason}: ${command}`)
      return [
        `### ${result.name}`,
        ...lines,
        ...(solved.length === 0 ? [] : ['solved, shown as open:', ...solved]),
        ...(commands.length === 0 ? [] : ['commands of next steps:', ...commands]),
      ].join('\n')
    })
    .join('\n\n')
}
