import { newBundleId } from '../bundle/bundle-id.ts'
import type { BundleKind } from '../bundle/bundle-names.ts'
import { parsingSteps } from '../bundle/parse-bundle.ts'
import type { ContextBundle } from '../bundle/schema.ts'
import { withEmptySections } from '../bundle/section-contents.ts'
import { kindOf } from '../bundle/sections.ts'
import type { NextStep, SessionSummary } from '../bundle/session-summary.ts'
import { carryOver } from '../carry/carry-over.ts'
import type { Facts } from '../facts/facts.ts'
import { sessionTicket } from '../facts/session-title.ts'
import { topicWords } from '../facts/statements/words.ts'
import type { BundlePlan } from '../plan/plan-bundle.ts'
import { cleanLine } from '../session/clean-text.ts'
import { cutHead } from '../session/cut-text.ts'
import { known } from '../session/known.ts'
import type { Note } from '../session/note.ts'
import { atOnce, type Steps } from '../session/pauses.ts'
import type { Session } from '../session/session.ts'
import type { SummarizedPlan } from '../summarize/summarize-plan.ts'
import { shareOf } from '../text/overlap.ts'
import { callList, usageOfCalls } from './call-list.ts'
import { mergeDecisions } from './decisions.ts'
import { cleanNote, factSections } from './fact-sections.ts'
import { fitBundle } from './fit-to-band.ts'
import { type GroundOptions, groundSteps } from './ground.ts'
import { bundleRules } from './project-rules.ts'

/** Options of {@link assembleBundle}. */
export interface AssembleOptions extends GroundOptions {
  /** @default 'main' */
  readonly track?: string | undefined
  /** Name of the task that the bundle belongs to. @default the ticket that the first request names */
  readonly task?: string | undefined
  /** Id of the bundle that this one continues. */
  readonly previous?: string | undefined
  /** Time of creation. @default now; in a store, when the session ended */
  readonly now?: Date | undefined
  /** Used for the random part of the id. @default Math.random */
  readonly random?: (() => number) | undefined
  /** The store also keeps the raw log. @default false */
  readonly archived?: boolean | undefined
}

/** Longer than any failure message of this project's summarizers. */
const maxFailureLength = 1000

/** Share of the budget up to which summarizer calls are listed separately. */
const callShare = 0.04

/**
 * Puts facts, grounded summary and trail into one bundle within the budget, and validates it. Depends only on its
 * arguments if time and id are given. Throws {@link InvalidBundleError} if the parts do not make a valid bundle.
 */
export function assembleBundle(
  plan: BundlePlan,
  summarized: SummarizedPlan,
  options: AssembleOptions = {},
): ContextBundle {
  return atOnce(assemblySteps(plan, summarized, options))
}

/** {@link assembleBundle} in steps that can pause. */
export function* assemblySteps(
  plan: BundlePlan,
  summarized: SummarizedPlan,
  options: AssembleOptions,
): Steps<ContextBundle> {
  const { session, facts, kind, budget } = plan
  const now = options.now ?? new Date()
  const byModel = summarized.model !== undefined || summarized.calls.length > 0
  const grounded = yield* groundSteps(summarized.summary, session, facts, options, byModel)
  yield
  const {
    overview,
    fileReasons,
    constraints,
    decisions: said,
    projectRules: picked,
    ...statements
  } = sectionsOfKind(grounded.summary, kind, facts)
  const { rules: projectRules, refused } = bundleRules(session, facts, picked, byModel)
  const draft: ContextBundle = {
    schemaVersion: 1,
    id: newBundleId(now, options.random),
    kind,
    track: options.track ?? 'main',
    createdAt: now.toISOString(),
    ...known({ task: options.task === undefined ? sessionTicket(session) : cleanLine(options.task) }),
    previous: options.previous ?? options.memory?.previous,
    ...(facts.state === undefined ? {} : { state: facts.state.state }),
    summary: overview,
    ...statements,
    nextSteps: withNamedSteps(statements.nextSteps, facts),
    decisions: mergeDecisions(said, session, facts),
    ...factSections(
      plan,
      options.archived ?? false,
      overview,
      new Map(fileReasons.map(({ path, reason }) => [path, reason])),
      constraints,
    ),
    projectRules,
    identifiers: [],
    trail: [],
    compression: {
      counter: plan.counter.name,
      sourceTokens: budget.sourceTokens,
      bundleTokens: 0,
      ratio: 0,
      band: 'within',
      summarizer: summarized.summarizer,
      model: summarized.model,
      promptVersion: summarized.promptVersion,
      readTokens: summarized.readTokens ?? plan.readTokens,
      unverified: grounded.unverified,
      calls: callList(summarized.calls, budget.maxTokens * callShare, plan.counter),
      ...(summarized.calls.length === 0 ? {} : { usage: usageOfCalls(summarized.calls) }),
      cost: summarized.cost,
      ...(summarized.fallback === undefined ? {} : { fallback: fallbackLine(summarized.fallback, plan) }),
    },
    notes: [],
  }
  yield
  const rules = draft.constraints.map(({ text }) => withoutMarks(text))
  const lifted = facts.constraintCandidates.flatMap(({ text, refused }) =>
    refused === 'lifted' ? [withoutMarks(cleanLine(text))] : [],
  )
  // A sentence that binds is also a decision if it chooses one of two ways; one that the user revoked is not.
  const decisions = draft.decisions.filter(({ by, topic, choice, alternatives }) => {
    if (by === 'agent' || topic !== undefined) return true
    const words = withoutMarks(choice)
    const isRule = rules.some((rule) => rule === words || rule.endsWith(` ${words}`))
    const takesOne = alternatives.length > 0 || /^let['’]?s\b/i.test(choice)
    return !(isRule && !takesOne) && !lifted.some((text) => text.startsWith(words))
  })
  const parent = options.memory?.parent
  const { items: carried, notes: carriedNotes } =
    parent === undefined
      ? { items: [], notes: [] }
      : carryOver(parent, session, facts, { ...draft, decisions }, summarized.settled)
  const notes = [
    ...[...(options.memory?.notes ?? []), ...carriedNotes].map((note) => cleanNote(note)),
    ...taskNotes(session, draft.constraints),
    ...session.notes.map((note) => cleanNote(note)),
    // These describe the failure and, at their end, what to do about it.
    ...summarized.notes.map((note) => cleanNote(note, maxFailureLength)),
    ...[...grounded.notes, ...refusedRules(refused), ...budgetNotes(plan)].map((note) => cleanNote(note)),
  ]
  const whole = {
    ...draft,
    decisions,
    notes,
    ...(carried.length > 0 && { carried: [...carried] }),
  }
  yield
  const fitted = yield* fitBundle(whole, plan)
  yield
  return yield* parsingSteps(fitted)
}

function refusedRules(count: number): Note[] {
  const message =
    'project rules were left out: no file, issue or cited message of the agent holds their words'
  return count === 0 ? [] : [{ code: 'rule-refused', message, count }]
}

/** Removes Markdown marks, which a summarizer may drop. */
function withoutMarks(text: string): string {
  return text.replace(/\*\*|[`_]/g, '').replace(/[.。]$/, '')
}

/** In a subagent's log, the words that bind are those of the agent that gave the task. */
function taskNotes({ events }: Session, constraints: ContextBundle['constraints']): Note[] {
  if (constraints.length === 0 || events.some(({ type }) => type === 'user')) return []
  return [
    {
      code: 'task-constraints',
      message: 'constraints are words of the agent that gave the task: nobody typed',
    },
  ]
}

/** Leaves out sections of other kinds. Those of the bundle's kind are always present, empty if there is nothing. */
function sectionsOfKind(summary: SessionSummary, kind: BundleKind, facts: Facts): SessionSummary {
  const { plan, progress, research, ...common } = summary
  const own =
    kind === 'context' || summary[kind] === undefined ? common : { ...common, [kind]: summary[kind] }
  const sections = withEmptySections(own, (section) => kindOf(section) === kind)
  if (kind === 'plan') return withDoneSteps(sections, facts)
  if (kind !== 'progress') return sections
  return {
    ...withStepCount(sections),
    workflow: { ...common.workflow, tasksCompleted: [], tasksRemaining: [] },
  }
}

/** Ticks the steps of a plan that the task list reports as completed. */
function withDoneSteps(summary: SessionSummary, { tasks }: Facts): SessionSummary {
  const { plan } = summary
  if (plan === undefined) return summary
  // Spellings of a step with and without its number are equal.
  const wordsOf = (text: string) =>
    (
      text
        .replace(/^(?:step\s+)?\d{1,2}[.):]\s+/i, '')
        .toLowerCase()
        .match(/[\p{L}\p{N}]+/gu) ?? []
    ).join(' ')
  const done = new Set(tasks.flatMap(({ text, status }) => (status === 'completed' ? [wordsOf(text)] : [])))
  const steps = plan.steps.map((step) =>
    done.has(wordsOf(step.text)) ? { ...step, done: true as const } : step,
  )
  return { ...summary, plan: { ...plan, steps } }
}

/** Counted before the budget shortens the lists. */
function withStepCount(summary: SessionSummary): SessionSummary {
  const { progress } = summary
  if (progress === undefined) return summary
  const done = progress.completed.length
  const total = done + progress.inProgress.length + progress.remaining.length
  return total === 0 ? summary : { ...summary, progress: { ...progress, steps: { done, total } } }
}

/** Front matter cannot be trimmed: a small budget only has room for the first failed summarizer, and why. */
function fallbackLine(fallback: string, { budget }: BundlePlan): string {
  const line = cleanLine(fallback)
  const short = cutHead(line, budget.maxTokens < 1000 ? 120 : 400)
  return short === line ? line : `${short} …`
}

function budgetNotes({ budget, session }: BundlePlan) {
  const copied = session.events.filter((event) => event.copied).length
  return [
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

/** Minimum share of a named step's words in an equal step of the summary. */
const minShare = 0.6

/**
 * Adds the steps named in the session's last words to a summary that leaves them out: first, but after the question
 * that the session waits for.
 */
function withNamedSteps(steps: readonly NextStep[], { openWork, state }: Facts): NextStep[] {
  const said = steps.map(({ action, command = '' }) => topicWords(`${action} ${command}`))
  const missing = openWork.steps.filter(({ text }) => {
    const words = topicWords(text)
    return !steps.some(
      ({ action }, at) => action === cleanLine(text) || shareOf(words, said[at] ?? words) >= minShare,
    )
  })
  const named = missing.map(({ text, event }) => ({ action: cleanLine(text), evidence: [event] }))
  const first = state?.state === 'waiting' ? 1 : 0
  return [...steps.slice(0, first), ...named, ...steps.slice(first)]
}
