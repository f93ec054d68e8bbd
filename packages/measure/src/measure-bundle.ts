import { bundleToMarkdown, type ContextBundle, type Session } from '@tenfold/core'
import { deriveFacts } from './facts/derive-facts.ts'
import { type MetricName, measureText, yardstickOf } from './measure-text.ts'
import { type Precision, precisionOf } from './precision.ts'
import { type Score, shareOf } from './score.ts'

/** Kinds of facts of a session that its bundle should hold, each with the metric that counts them. */
const retentionMetrics = {
  editedFiles: 'edited',
  fileActions: 'fileDone',
  lastCommands: 'cmds',
  commandOutcomes: 'cmdExit',
  constraints: 'constr',
  userWords: 'user',
  lastUserMessage: 'lastUser',
  userIds: 'uids',
  errors: 'errors',
} as const satisfies Record<string, MetricName>

export type RetentionClass = keyof typeof retentionMetrics
export const retentionClasses = Object.keys(retentionMetrics) as readonly RetentionClass[]

/** What a bundle keeps of its session, and how true it is. */
export interface BundleMeasure {
  /** Facts of the session that the bundle holds. */
  readonly retention: Readonly<Record<RetentionClass, Score>>
  /** Statements of the bundle that the log bears out. */
  readonly precision: Precision
  /** Paths, symbols, SHAs, numbers and URLs of the bundle that occur in the log. */
  readonly faithfulness: Score
}

/**
 * Measures a bundle against its session, without a model and without the code that made the bundle. The session must be
 * redacted as it was for the bundle; facts that the session lacks are not required. `earlier` are the bundles that
 * carried items come from: items of others are not counted.
 */
export function measureBundle(
  session: Session,
  bundle: ContextBundle,
  earlier: readonly ContextBundle[] = [],
): BundleMeasure {
  const scores = measureText(bundleToMarkdown(bundle), yardstickOf(session, deriveFacts(session)))
  const kept = Object.entries(retentionMetrics).map(([name, metric]) => [name, scores[metric]])
  return {
    retention: Object.fromEntries(kept) as Record<RetentionClass, Score>,
    precision: precisionOf(session, bundle, earlier),
    faithfulness: scores.faith,
  }
}

/** The mean share over the kinds of facts of which the session has any, so that none outweighs another. */
export function meanShare(scores: Readonly<Record<string, Score>>): number | undefined {
  const shares = Object.values(scores).flatMap((score) => shareOf(score) ?? [])
  return shares.length === 0 ? undefined : shares.reduce((sum, share) => sum + share, 0) / shares.length
}
