import { type StatementKey, statements } from '../bundle/sections.ts'
import type { SessionSummary, SummaryItem } from '../bundle/session-summary.ts'
import { cleanLine } from '../session/clean-text.ts'
import type { EventId } from '../session/event.ts'
import { known } from '../session/known.ts'
import {
  appendStatements,
  type Entry,
  entryText,
  joinEntries,
  listsOf,
  mapLists,
  rulesOf,
  uniteEvidence,
} from './summary-lists.ts'

/** A statement of a summary, with an id that a model can cite: `f1`, `d2`, `t3`. */
export interface Statement {
  readonly id: string
  /** Its list: `finding`, `decision`, `task remaining`, … */
  readonly list: (typeof statements)[StatementKey][1]
  readonly text: string
  readonly evidence: readonly EventId[]
}

/** Changes since a summary was made. Ids are those of {@link numberStatements} for that summary. */
export interface SummaryDelta {
  /** New statements; non-empty texts and next steps replace the earlier ones. */
  readonly summary: SessionSummary
  readonly changed: readonly {
    readonly id: string
    readonly text: string
    readonly evidence: readonly EventId[]
  }[]
  /** Ids of statements that are done, answered or no longer blocking. */
  readonly resolved: readonly string[]
  /** Ids of statements that are no longer true. */
  readonly obsolete: readonly string[]
}

/** Returns the statements of a summary with ids: the prefix of the list and a number from 1. */
export function numberStatements(summary: SessionSummary): Statement[] {
  return listsOf(summary).flatMap(([list, entries]) =>
    entries.map((entry, index) => ({
      id: statementId(list, index),
      list: statements[list][1],
      text: entryText(entry),
      evidence: entry.evidence,
    })),
  )
}

/**
 * Applies changes to a summary. Done tasks move to the completed ones; answered questions, solved blockers and risks,
 * and obsolete statements are removed; new statements are appended unless they repeat an old one. The user's
 * constraints are never changed or removed. Unknown ids are ignored.
 */
export function updateSummary(earlier: SessionSummary, delta: SummaryDelta): SessionSummary {
  const { summary: later } = delta
  const updated = appendStatements(editStatements(earlier, delta), later)
  const { plan, progress } = updated
  const research = later.research?.decision ? later.research : (earlier.research ?? later.research)
  return {
    ...updated,
    overview: later.overview || earlier.overview,
    resumeInstructions: later.resumeInstructions || earlier.resumeInstructions,
    workflow: { ...updated.workflow, ...phaseOf(later) },
    ...(later.nextSteps.length > 0 ? { nextSteps: joinEntries(later.nextSteps, []) } : {}),
    fileReasons: reasonsByPath([...earlier.fileReasons, ...later.fileReasons]),
    ...rulesOf([earlier, later]),
    ...(plan && { plan: { ...plan, approach: later.plan?.approach || plan.approach } }),
    ...(progress && {
      progress: { ...progress, currentState: later.progress?.currentState || progress.currentState },
    }),
    ...(research && { research }),
  }
}

export function phaseOf({
  workflow: { phase, currentTask },
}: SessionSummary): Pick<SessionSummary['workflow'], 'phase' | 'currentTask'> {
  return known({ phase, currentTask })
}

/** Returns the last reason of each path. */
export function reasonsByPath(reasons: SessionSummary['fileReasons']): SessionSummary['fileReasons'] {
  return [...new Map(reasons.map(({ path, reason }) => [path, reason]))].map(([path, reason]) => ({
    path,
    reason,
  }))
}

/** Returns the earlier statements without removed ones, with changed words, and with done tasks as completed. */
function editStatements(earlier: SessionSummary, delta: SummaryDelta): SessionSummary {
  const changes = new Map(delta.changed.map((change) => [change.id, change]))
  const resolved = new Set(delta.resolved)
  const obsolete = new Set(delta.obsolete)
  const done: Record<'tasksCompleted' | 'completed', SummaryItem[]> = { tasksCompleted: [], completed: [] }
  const edited = mapLists(earlier, (list, key) =>
    list.flatMap((entry, index) => {
      if (key === 'constraints') return [entry]
      const id = statementId(key, index)
      const change = changes.get(id)
      const current = change === undefined ? entry : reworded(entry, change.text, change.evidence)
      const [, , when] = statements[key]
      if (resolved.has(id) && when !== undefined) {
        if (when !== 'gone' && 'text' in current) done[when].push(current)
        return []
      }
      return obsolete.has(id) ? [] : [current]
    }),
  )
  const { workflow, progress } = edited
  return {
    ...edited,
    workflow: { ...workflow, tasksCompleted: joinEntries(workflow.tasksCompleted, done.tasksCompleted) },
    ...(progress && {
      progress: { ...progress, completed: joinEntries(progress.completed, done.completed) },
    }),
  }
}

/** Returns a statement in new words, without `unverified` and `command`, which applied to the old ones. */
function reworded<T extends Entry>(entry: T, words: string, evidence: readonly EventId[]): T {
  const text = cleanLine(words)
  if (text === '') return entry
  const { unverified: _, ...rest } = entry
  const united = uniteEvidence(entry.evidence, evidence)
  if ('text' in rest) return { ...rest, text, evidence: united } as unknown as T
  if ('choice' in rest) return { ...rest, choice: text, evidence: united } as unknown as T
  const { command: __, ...step } = rest as Record<string, unknown>
  return { ...step, action: text, evidence: united } as unknown as T
}

function statementId(list: StatementKey, index: number): string {
  return `${statements[list][0]}${index + 1}`
}
