import type { ContextBundle } from '@tenfold/core'
import { cleanLine } from '@tenfold/core/internal'
import { type BundleMeasure, meanShare } from '../measure-bundle.ts'
import type { Score } from '../score.ts'
import type { ReportRow } from './report-schema.ts'

/** How a bundle was measured, or why it was not. */
export type Measured =
  | { readonly from: 'log' | 'archive'; readonly measure: BundleMeasure }
  | { readonly from: 'bundle'; readonly reason: string }

/** Maximum missed facts of a kind that a row names. */
const mostMissed = 5
const mostCharacters = 160

/** The row of a bundle. `log` is the caller's name for its log. */
export function reportRow(
  bundle: ContextBundle,
  measured: Measured,
  log = bundle.source.sessionId,
): ReportRow {
  const { source, compression, id, kind, track, createdAt } = bundle
  const { format, agentVersion, models, cwd, title, sessionId } = source
  const { sourceTokens, bundleTokens, ratio, band, summarizer, model, cost, fallback, unverified } =
    compression
  // In a store, a bundle's time is the end of its session.
  const endedAt = source.endedAt ?? (measured.from === 'log' ? undefined : createdAt)
  return {
    log: cleanLine(log),
    bundle: id,
    sessionId,
    format,
    kind,
    track,
    ...(title !== undefined && { title }),
    agent: agentVersion === undefined ? format : `${format} ${agentVersion}`,
    model: models[0] ?? 'unknown',
    project: projectOf(cwd),
    summarizer: model === undefined ? summarizer : `${summarizer} ${model}`,
    ...(endedAt !== undefined && { endedAt }),
    sourceTokens,
    bundleTokens,
    ratio,
    band,
    unverified,
    ...(cost !== undefined && {
      cost: { amount: cost.amount, currency: cost.currency, ...(cost.atLeast && { atLeast: cost.atLeast }) },
    }),
    ...(fallback !== undefined && { fallback }),
    ...measuredPart(measured),
  }
}

function measuredPart(measured: Measured): Partial<ReportRow> & Pick<ReportRow, 'measuredFrom'> {
  if (measured.from === 'bundle') return { measuredFrom: 'bundle', unmeasured: cleanLine(measured.reason) }
  const { retention, precision, faithfulness } = measured.measure
  return {
    measuredFrom: measured.from,
    retention: scoresOf(retention),
    precision: scoresOf(precision),
    faithfulness: shortScore(faithfulness),
  }
}

function scoresOf(scores: Readonly<Record<string, Score>>): NonNullable<ReportRow['retention']> {
  const share = meanShare(scores)
  const by = Object.entries(scores).map(([name, score]) => [name, shortScore(score)])
  return { ...(share !== undefined && { share }), by: Object.fromEntries(by) }
}

function shortScore({ kept, of, missed }: Score): NonNullable<ReportRow['faithfulness']> {
  const named = missed.slice(0, mostMissed).map((text) => cleanLine(text).slice(0, mostCharacters))
  return { kept, of, missed: named }
}

/** The last part of a path of any operating system. */
export function projectOf(cwd: string | undefined): string {
  return cwd?.split(/[\\/]/).filter(Boolean).at(-1) ?? 'unknown'
}
