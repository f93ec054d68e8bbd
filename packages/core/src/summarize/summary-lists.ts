import type { Decision, NextStep, SessionSummary, SummaryItem } from '../bundle/session-summary.ts'
import type { EventId } from '../session/event.ts'
import { eventIndex } from '../session/event.ts'

/** A statement of a summary, from any of its lists. */
export type Entry = SummaryItem | Decision | NextStep

/** The lists of a summary in their order, by the first letters of their statements' ids. */
export const listNames = {
  c: 'constraint',
  d: 'decision',
  f: 'finding',
  q: 'open question',
  b: 'blocker',
  t: 'task remaining',
  x: 'task completed',
  n: 'next step',
  s: 'plan step',
  k: 'plan risk',
  pi: 'in progress',
  pr: 'remaining',
  pc: 'completed',
} as const

export type ListId = keyof typeof listNames

/** Combines each list of two summaries. Texts and file reasons are those of the first. */
export function combineLists(
  a: SessionSummary,
  b: SessionSummary,
  combine: <T extends Entry>(a: readonly T[], b: readonly T[], list: ListId) => T[],
): SessionSummary {
  const plan = a.plan ?? b.plan
  const progress = a.progress ?? b.progress
  return {
    ...a,
    constraints: combine(a.constraints, b.constraints, 'c'),
    decisions: combine(a.decisions, b.decisions, 'd'),
    findings: combine(a.findings, b.findings, 'f'),
    openQuestions: combine(a.openQuestions, b.openQuestions, 'q'),
    nextSteps: combine(a.nextSteps, b.nextSteps, 'n'),
    workflow: {
      ...a.workflow,
      tasksCompleted: combine(a.workflow.tasksCompleted, b.workflow.tasksCompleted, 'x'),
      tasksRemaining: combine(a.workflow.tasksRemaining, b.workflow.tasksRemaining, 't'),
      blockers: combine(a.workflow.blockers, b.workflow.blockers, 'b'),
    },
    ...(plan && {
      plan: {
        approach: plan.approach,
        steps: combine(a.plan?.steps ?? [], b.plan?.steps ?? [], 's'),
        risks: combine(a.plan?.risks ?? [], b.plan?.risks ?? [], 'k'),
      },
    }),
    ...(progress && {
      progress: {
        currentState: progress.currentState,
        completed: combine(a.progress?.completed ?? [], b.progress?.completed ?? [], 'pc'),
        inProgress: combine(a.progress?.inProgress ?? [], b.progress?.inProgress ?? [], 'pi'),
        remaining: combine(a.progress?.remaining ?? [], b.progress?.remaining ?? [], 'pr'),
      },
    }),
  }
}

/** Returns the summary with each of its lists mapped. */
export function mapLists(
  summary: SessionSummary,
  map: <T extends Entry>(list: readonly T[], id: ListId) => T[],
): SessionSummary {
  return combineLists(summary, summary, (list, _, id) => map(list, id))
}

/** Returns all lists that a summary has, by their letters, in order. */
export function listsOf(summary: SessionSummary): [ListId, readonly Entry[]][] {
  const { workflow, plan, progress } = summary
  const lists: { readonly [K in ListId]: readonly Entry[] | undefined } = {
    c: summary.constraints,
    d: summary.decisions,
    f: summary.findings,
    q: summary.openQuestions,
    b: workflow.blockers,
    t: workflow.tasksRemaining,
    x: workflow.tasksCompleted,
    n: summary.nextSteps,
    s: plan?.steps,
    k: plan?.risks,
    pi: progress?.inProgress,
    pr: progress?.remaining,
    pc: progress?.completed,
  }
  return Object.entries(lists).flatMap(([id, list]) => (list ? [[id as ListId, list]] : []))
}

/** Returns the words of a statement: its text, choice or action. */
export function entryText(entry: Entry): string {
  if ('text' in entry) return entry.text
  return 'choice' in entry ? entry.choice : entry.action
}

/** Returns a key that is the same for statements that differ only in case, spacing and the full stop. */
export function sameness(entry: Entry): string {
  const plain = (text: string) =>
    text
      .normalize('NFC')
      .toLowerCase()
      .split(/\s+/)
      .join(' ')
      .replace(/[.!;]$/, '')
  return 'choice' in entry && entry.topic !== undefined
    ? `${plain(entry.topic)}\n${plain(entry.choice)}`
    : plain(entryText(entry))
}

/** Returns the events of both, each once, in log order. */
export function uniteEvidence(a: readonly EventId[], b: readonly EventId[]): EventId[] {
  return [...new Set([...a, ...b])].sort((x, y) => eventIndex(x) - eventIndex(y))
}
