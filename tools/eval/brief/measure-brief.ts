import {
  bundleToMarkdown,
  type CompressLogOptions,
  compressLog,
  renderBrief,
  type TokenCounter,
} from '@tenfold/core'
import { atOnce } from '@tenfold/core/internal'
import type { Score } from '@tenfold/measure'
import { deriveFacts, type MetricName, measureText, scoreOf, yardstickOf } from '@tenfold/measure/internal'
import type { LabelledLog } from '../gold/load-gold.ts'
import type { EvalCase } from '../load-cases.ts'
import { leanedNames } from './leaned-names.ts'
import { holdsWhole, type LabelScores, labelScorer } from './measure-labels.ts'

export interface BriefOptions {
  readonly compress: Omit<CompressLogOptions, 'counter'>
  readonly counter: TokenCounter
  /** Tokens of the brief. */
  readonly maxTokens: number
}

/** A brief and its bundle against the labels of a session. */
export interface LabelledBrief {
  readonly name: string
  readonly brief: LabelScores
  readonly bundle: LabelScores
}

/** Names of the first and of the second half that the session used again, and the metrics of any text. */
type TextScores = Readonly<Record<MetricName | 'firstHalf' | 'secondHalf', Score>>

/** A brief, its bundle, and the summary that an agent shipped, against the log. */
export interface CaseBrief {
  readonly name: string
  readonly texts: readonly { readonly name: string; readonly tokens: number; readonly scores: TextScores }[]
}

/** Measures the brief and the bundle of each labelled log. */
export async function measureLabelledBriefs(
  labelled: readonly LabelledLog[],
  { compress, counter, maxTokens }: BriefOptions,
  onProgress: (text: string) => void,
): Promise<LabelledBrief[]> {
  const results: LabelledBrief[] = []
  for (const [at, { gold, path }] of labelled.entries()) {
    onProgress(`${at + 1} of ${labelled.length} ${gold.name}`)
    const { bundle, session } = await compressLog(path, { ...compress, counter })
    const score = labelScorer(gold, session)
    results.push({
      name: gold.name,
      brief: score(await renderBrief(bundle, { maxTokens, counter })),
      bundle: score(bundleToMarkdown(bundle)),
    })
  }
  return results
}

/** Measures the brief and the bundle of each log; logs that are too small for a ratio are left out. */
export async function measureCaseBriefs(
  cases: readonly EvalCase[],
  { compress, counter, maxTokens }: BriefOptions,
  onProgress: (text: string) => void,
): Promise<CaseBrief[]> {
  const results: CaseBrief[] = []
  for (const [at, { name, path, facts, shippedSummary }] of cases.entries()) {
    onProgress(`${at + 1} of ${cases.length} ${name}`)
    const { bundle, session } = await compressLog(path, { ...compress, counter })
    if (bundle.compression.band === 'small') continue
    const yardstick = atOnce(yardstickOf(session, facts ?? atOnce(deriveFacts(session))))
    const leaned = leanedNames(session)
    const same = (value: string) => value
    const measure = (of: string, text: string) => ({
      name: of,
      tokens: counter.count(text),
      scores: {
        // The id of the bundle is not from the log.
        ...atOnce(measureText(text.replaceAll(bundle.id, ''), yardstick)),
        firstHalf: scoreOf(leaned.first, (value) => holdsWhole(text, value), same),
        secondHalf: scoreOf(leaned.second, (value) => holdsWhole(text, value), same),
      },
    })
    results.push({
      name,
      texts: [
        measure('brief', await renderBrief(bundle, { maxTokens, counter })),
        measure('bundle', bundleToMarkdown(bundle)),
        ...(shippedSummary === undefined ? [] : [measure('shipped summary', shippedSummary)]),
      ],
    })
  }
  return results
}
