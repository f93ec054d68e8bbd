import type { BundleKind } from '../bundle/bundle-names.ts'
import type { Facts, WorkPhase } from '../facts/facts.ts'
import { atOnce, type Steps } from '../session/pauses.ts'
import type { Session } from '../session/session.ts'
import { measuringSteps, type SessionTokens } from '../tokens/measure-session.ts'
import type { TokenCounter } from '../tokens/token-counter.ts'
import { type Budget, type BudgetOptions, budgetOf } from './budget.ts'
import type { ScoreSentence } from './condense.ts'
import type { Excerpt } from './excerpt.ts'
import { listExcerpts } from './excerpt-list.ts'
import { excerptsOf } from './excerpts.ts'
import { sentenceScorer } from './score-sentence.ts'
import { type SizedExcerpts, sizeExcerpts } from './trail-caps.ts'
import type { TranscriptItem } from './transcript-item.ts'

/** Options of {@link planBundle}. */
export interface PlanOptions extends BudgetOptions {
  /** Counts the tokens of the budget. */
  readonly counter: TokenCounter
  /** `auto`: the kind of the phase in which the session ended. @default 'context' */
  readonly kind?: BundleKind | 'auto' | undefined
}

/** Everything that is decided before a summarizer is called: sizes, what the summarizer reads, what the trail may contain. */
export interface BundlePlan {
  /** The kind of bundle that is planned. */
  readonly kind: BundleKind
  /** The session with its secrets replaced. */
  readonly session: Session
  /** Computed from the tool calls of the session. */
  readonly facts: Facts
  /** Used for all numbers of the plan. */
  readonly counter: TokenCounter
  /** Source tokens, by event and category. */
  readonly tokens: SessionTokens
  /** Maximum tokens of each part of the bundle. */
  readonly budget: Budget
  /** Made anew at each iteration. */
  readonly excerpts: Iterable<Excerpt>
  /** Sizes of the excerpts, from which the trail is chosen. */
  readonly sized: SizedExcerpts
  /** Scores a sentence when a text is cut. */
  readonly scoreSentence: ScoreSentence
  /** What a summarizer reads. */
  readonly transcript: readonly TranscriptItem[]
  /** Tokens of the transcript. */
  readonly readTokens: number
}

/** Plans the compression of a session. The same session, facts and options give the same plan. */
export function planBundle(session: Session, facts: Facts, options: PlanOptions): BundlePlan {
  return atOnce(planSteps(session, facts, options))
}

/** {@link planBundle} in steps that can pause. */
export function* planSteps(session: Session, facts: Facts, options: PlanOptions): Steps<BundlePlan> {
  const { counter, kind = 'context' } = options
  const tokens = yield* measuringSteps(session, counter)
  const budget = budgetOf(tokens.total, options)
  const { excerpts, transcript, readTokens } = yield* listExcerpts(
    excerptsOf(session, facts, counter, tokens),
    session.events.length,
  )
  return {
    kind: kind === 'auto' ? kindOfPhase(facts.phase) : kind,
    session,
    facts,
    counter,
    tokens,
    budget,
    excerpts,
    sized: yield* sizeExcerpts(excerpts),
    scoreSentence: sentenceScorer(facts),
    transcript,
    readTokens,
  }
}

function kindOfPhase(phase: WorkPhase | undefined): BundleKind {
  if (phase === undefined) return 'context'
  if (phase === 'plan') return 'plan'
  return phase === 'research' || phase === 'review' ? 'research' : 'progress'
}
