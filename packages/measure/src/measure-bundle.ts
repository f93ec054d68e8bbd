import { bundleToMarkdown, type ContextBundle, type Session } from '@tenfold/core'
import { pausing, type Steps } from '@tenfold/core/internal'
import type { AbortableOptions } from '@tenfold/core/storage'
import { deriveFacts } from './facts/derive-facts.ts'
import { type MetricName, measureText, yardstickOf } from './measure-text.ts'
import { type Precision, precisionOf } from './precision.ts'
import { type Score, shareOf } from './score.ts'

/** Kinds of facts that a session's bundle should contain, each with its metric. */
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

/** A kind of facts that a bundle should keep. */
export type RetentionClass = keyof typeof retentionMetrics
export const retentionClasses = Object.keys(retentionMetrics) as readonly RetentionClass[]

/** How much a bundle keeps of its session, and how accurate it is. */
export interface BundleMeasure {
  /** Facts of the session that the bundle contains. */
  readonly retention: Readonly<Record<RetentionClass, Score>>
  /** Statements of the bundle that the log confirms. */
  readonly precision: Precision
  /** Paths, symbols, SHAs, numbers and URLs of the bundle that occur in the log. */
  readonly faithfulness: Score
}

/**
 * Measures a bundle against its session, without a model and without the code that made the bundle. The session must be
 * redacted as it was for the bundle. A large log takes seconds, during which the event loop gets regular turns. Rejects
 * with the reason of `signal`.
 */
export async function measureBundle(
  session: Session,
  bundle: ContextBundle,
  { earlier, signal }: MeasureOptions = {},
): Promise<BundleMeasure> {
  return await pausing(measuring(session, bundle, earlier), signal)
}

/** What else to check a bundle against. */
export interface MeasureOptions extends AbortableOptions {
  /** Bundles that items were carried over from. Items from other bundles are not counted. @default none */
  readonly earlier?: readonly ContextBundle[] | undefined
}

function* measuring(
  session: Session,
  bundle: ContextBundle,
  earlier: readonly ContextBundle[] | undefined,
): Steps<BundleMeasure> {
  const yardstick = yield* yardstickOf(session, yield* deriveFacts(session))
  const scores = yield* measureText(bundleToMarkdown(bundle), yardstick)
  const kept = Object.entries(retentionMetrics).map(([name, metric]) => [name, scores[metric]])
  return {
    retention: Object.fromEntries(kept) as Record<RetentionClass, Score>,
    precision: yield* precisionOf(session, bundle, earlier),
    faithfulness: scores.faith,
  }
}

/** The mean share over the kinds of facts that the session has, so that no kind outweighs another. */
export function meanShare(scores: Readonly<Record<string, Score>>): number | undefined {
  const shares = Object.values(scores).flatMap((score) => shareOf(score) ?? [])
  return shares.length === 0 ? undefined : shares.reduce((sum, share) => sum + share, 0) / shares.length
}
