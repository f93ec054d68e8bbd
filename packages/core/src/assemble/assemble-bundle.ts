import type { Judgement } from '../bundle/judgement.ts'
import { type BundleKind, type ContextBundle, newBundleId, parseBundle } from '../bundle/schema.ts'
import type { BundlePlan } from '../plan/plan-bundle.ts'
import { cleanLine } from '../session/clean-text.ts'
import type { SummarizedPlan } from '../summarize/summarize-plan.ts'
import { cleanNote, factSections } from './fact-sections.ts'
import { fitBundle } from './fit.ts'
import { type GroundOptions, groundJudgement } from './ground.ts'

export interface AssembleOptions extends GroundOptions {
  /** @default 'main' */
  readonly track?: string
  readonly task?: string
  /** Id of the bundle that this one continues. */
  readonly previous?: string
  /** Time of creation. @default now */
  readonly now?: Date
  /** For the random part of the id. @default Math.random */
  readonly random?: () => number
  /** The raw log goes into the store beside the bundle. @default false */
  readonly archived?: boolean
}

/**
 * Puts facts, grounded judgement and trail into one bundle within the budget, and validates it. Pure but for time and id,
 * which can be given. Throws InvalidBundleError where the parts do not make a valid bundle.
 */
export function assembleBundle(
  plan: BundlePlan,
  judged: SummarizedPlan,
  options: AssembleOptions = {},
): ContextBundle {
  const { session, facts, kind, budget } = plan
  const now = options.now ?? new Date()
  const grounded = groundJudgement(judged.judgement, session, facts, options)
  const { fileReasons, ...judgement } = sectionsOfKind(grounded.judgement, kind)
  const draft: ContextBundle = {
    schemaVersion: 1,
    id: newBundleId(now, options.random),
    kind,
    track: options.track ?? 'main',
    createdAt: now.toISOString(),
    ...(options.task === undefined ? {} : { task: cleanLine(options.task) }),
    ...(options.previous === undefined ? {} : { previous: options.previous }),
    ...judgement,
    ...factSections(
      plan,
      options.archived ?? false,
      new Map(fileReasons.map(({ path, reason }) => [path, reason])),
    ),
    identifiers: [],
    trail: [],
    compression: {
      counter: plan.counter.name,
      sourceTokens: budget.sourceTokens,
      bundleTokens: 0,
      ratio: 0,
      band: 'within',
      summarizer: judged.summarizer,
      ...(judged.model === undefined ? {} : { model: judged.model }),
      ...(judged.promptVersion === undefined ? {} : { promptVersion: judged.promptVersion }),
      readTokens: plan.readTokens,
      unverified: grounded.unverified,
      calls: judged.calls.map((call) => ({ ...call, usage: { ...call.usage } })),
      ...(judged.fallback === undefined ? {} : { fallback: cleanLine(judged.fallback) }),
    },
    notes: [],
  }
  const demands = new Set(draft.constraints.map((constraint) => constraint.text))
  // A choice in a sentence that already binds as a constraint would stand twice.
  const decisions = draft.decisions.filter(
    ({ by, topic, choice }) => by === 'agent' || topic !== undefined || !demands.has(choice),
  )
  const notes = [...session.notes, ...judged.notes, ...grounded.notes, ...budgetNotes(plan)].map(cleanNote)
  return parseBundle(fitBundle({ ...draft, decisions, notes }, plan))
}

/** Sections that belong to other kinds are left out; those of the own kind stand, empty where nothing was said. */
function sectionsOfKind(judgement: Judgement, kind: BundleKind): Judgement {
  const { plan, progress, research, ...common } = judgement
  if (kind === 'plan') return { ...common, plan: plan ?? { approach: '', steps: [], risks: [] } }
  if (kind === 'research') return { ...common, research: research ?? { decision: '' } }
  if (kind !== 'progress') return common
  return {
    ...common,
    workflow: { ...common.workflow, tasksCompleted: [], tasksRemaining: [] },
    progress: progress ?? { currentState: '', completed: [], inProgress: [], remaining: [] },
  }
}

function budgetNotes({ budget, session }: BundlePlan) {
  const copied = session.events.filter((event) => event.copied).length
  return [
    ...(budget.verbatim
      ? [
          {
            code: 'too-small',
            message: `${budget.sourceTokens} source tokens: kept whole, a ratio means nothing here`,
          },
        ]
      : []),
    ...(budget.capped && budget.maxTokens < budget.minTokens
      ? [{ code: 'below-band', message: `capped at ${budget.maxTokens} tokens by the caller` }]
      : []),
    ...(copied > 0
      ? [
          {
            code: 'copied-left-out',
            message: `${copied} events repeat the history of a parent session and are not counted`,
          },
        ]
      : []),
  ]
}
