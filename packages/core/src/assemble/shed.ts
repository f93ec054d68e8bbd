import { itemLine } from '../bundle/markdown-sections.ts'
import type { ContextBundle } from '../bundle/schema.ts'
import type { TokenCounter } from '../tokens/token-counter.ts'

type File = ContextBundle['files'][number]

/**
 * A list of a bundle that may be shortened. `share`: most of the budget that it may take. `order`: which items stay when
 * not all can, the first or the last ones. Lists stand in order of worth: the later lose first.
 */
interface Shelf<T> {
  readonly name: string
  readonly title: string
  readonly share: number
  readonly order: 'first' | 'last'
  /** Items that may exceed the share. */
  readonly least: number
  readonly get: (bundle: ContextBundle) => readonly T[] | undefined
  readonly set: (bundle: ContextBundle, items: T[]) => ContextBundle
}

function shelf<T>(
  name: string,
  title: string,
  share: number,
  order: 'first' | 'last',
  get: Shelf<T>['get'],
  set: Shelf<T>['set'],
): Shelf<unknown> {
  return {
    name,
    title,
    share,
    order,
    least: name === 'next steps' ? 1 : 0,
    get,
    set: set as Shelf<unknown>['set'],
  }
}

/** A shelf of the files of one sort; those of other sorts stay as they are. */
function fileShelf(name: string, share: number, ofSort: (file: File) => boolean): Shelf<unknown> {
  return shelf(
    name,
    'Files',
    share,
    'last',
    (b) => b.files.filter(ofSort),
    (b, files: File[]) => ({
      ...b,
      files: inOrder(b.files, [...files, ...b.files.filter((file) => !ofSort(file))]),
    }),
  )
}

type Item = ContextBundle['findings'][number]

const scratch = (file: File) =>
  /^(?:\/private)?\/(?:tmp|var\/folders)\/|\/AppData\/Local\/Temp\//.test(file.path)
const edited = (file: File) => file.status !== 'read' && !scratch(file)
const looked = (file: File) => file.status === 'read' && !scratch(file)

const shelves: readonly Shelf<unknown>[] = [
  shelf(
    'next steps',
    'Next steps',
    0.15,
    'first',
    (b) => b.nextSteps,
    (b, nextSteps: ContextBundle['nextSteps']) => ({ ...b, nextSteps }),
  ),
  shelf(
    'constraints',
    'Constraints',
    0.45,
    'last',
    (b) => b.constraints,
    (b, constraints: Item[]) => ({ ...b, constraints }),
  ),
  shelf(
    'open errors',
    'Errors',
    0.1,
    'last',
    (b) => b.errors.filter((error) => !error.resolution),
    (b, errors: ContextBundle['errors']) => ({
      ...b,
      errors: inOrder(b.errors, [...errors, ...b.errors.filter((error) => error.resolution)]),
    }),
  ),
  fileShelf('files changed', 0.25, edited),
  shelf(
    'blockers',
    'Blockers',
    0.05,
    'last',
    (b) => b.workflow.blockers,
    (b, blockers: Item[]) => ({ ...b, workflow: { ...b.workflow, blockers } }),
  ),
  shelf(
    'tasks remaining',
    'Tasks remaining',
    0.1,
    'first',
    (b) => b.workflow.tasksRemaining,
    (b, tasksRemaining: Item[]) => ({ ...b, workflow: { ...b.workflow, tasksRemaining } }),
  ),
  shelf(
    'steps',
    'Steps',
    0.15,
    'first',
    (b) => b.plan?.steps,
    (b, steps: Item[]) => (b.plan ? { ...b, plan: { ...b.plan, steps } } : b),
  ),
  shelf(
    'in progress',
    'In progress',
    0.1,
    'first',
    (b) => b.progress?.inProgress,
    (b, inProgress: Item[]) => (b.progress ? { ...b, progress: { ...b.progress, inProgress } } : b),
  ),
  shelf(
    'remaining',
    'Remaining',
    0.1,
    'first',
    (b) => b.progress?.remaining,
    (b, remaining: Item[]) => (b.progress ? { ...b, progress: { ...b.progress, remaining } } : b),
  ),
  shelf(
    'decisions',
    'Decisions',
    0.12,
    'last',
    (b) => b.decisions,
    (b, decisions: ContextBundle['decisions']) => ({ ...b, decisions }),
  ),
  shelf(
    'open questions',
    'Open questions',
    0.06,
    'last',
    (b) => b.openQuestions,
    (b, openQuestions: Item[]) => ({ ...b, openQuestions }),
  ),
  shelf(
    'risks',
    'Risks',
    0.06,
    'first',
    (b) => b.plan?.risks,
    (b, risks: Item[]) => (b.plan ? { ...b, plan: { ...b.plan, risks } } : b),
  ),
  shelf(
    'commands',
    'Commands',
    0.12,
    'last',
    (b) => b.commands,
    (b, commands: ContextBundle['commands']) => ({ ...b, commands }),
  ),
  shelf(
    'commits',
    'Commits',
    0.05,
    'last',
    (b) => b.git.commits,
    (b, commits: ContextBundle['git']['commits']) => ({ ...b, git: { ...b.git, commits } }),
  ),
  shelf(
    'findings',
    'Findings',
    0.08,
    'last',
    (b) => b.findings,
    (b, findings: Item[]) => ({ ...b, findings }),
  ),
  shelf(
    'completed',
    'Completed',
    0.06,
    'last',
    (b) => b.progress?.completed,
    (b, completed: Item[]) => (b.progress ? { ...b, progress: { ...b.progress, completed } } : b),
  ),
  shelf(
    'tasks completed',
    'Tasks completed',
    0.05,
    'last',
    (b) => b.workflow.tasksCompleted,
    (b, tasksCompleted: Item[]) => ({ ...b, workflow: { ...b.workflow, tasksCompleted } }),
  ),
  fileShelf('files read', 0.1, looked),
  shelf(
    'solved errors',
    'Errors',
    0.04,
    'last',
    (b) => b.errors.filter((error) => error.resolution),
    (b, errors: ContextBundle['errors']) => ({
      ...b,
      errors: inOrder(b.errors, [...b.errors.filter((error) => !error.resolution), ...errors]),
    }),
  ),
  fileShelf('scratch files', 0.02, scratch),
  shelf(
    'usage by model',
    'Usage by model',
    0.02,
    'first',
    (b) => b.usage.byModel,
    (b, byModel: ContextBundle['usage']['byModel']) => ({ ...b, usage: { ...b.usage, byModel } }),
  ),
  shelf(
    'usage by agent',
    'Usage by agent',
    0.03,
    'first',
    (b) => b.usage.byAgent,
    (b, byAgent: ContextBundle['usage']['byAgent']) => ({ ...b, usage: { ...b.usage, byAgent } }),
  ),
  shelf(
    'notes',
    'Notes',
    0.03,
    'first',
    (b) => b.notes,
    (b, notes: ContextBundle['notes']) => ({ ...b, notes }),
  ),
]

/** What was left out, for a note: list name and number of items. */
export type Shed = readonly (readonly [name: string, items: number])[]

/**
 * Shortens the lists of a bundle so that they take at most `budget` tokens, each no more than its share of `whole`.
 * Lists of most worth are served first, and within a list the items of most worth.
 */
export function shedLists(
  bundle: ContextBundle,
  budget: number,
  whole: number,
  counter: TokenCounter,
): { bundle: ContextBundle; shed: Shed } {
  let kept = bundle
  let left = budget
  const shed: [string, number][] = []
  for (const { name, title, share, order, least, get, set } of shelves) {
    const items = get(bundle) ?? []
    if (items.length === 0) continue
    const limit = Math.min(left, Math.max(share * whole, 0))
    const byWorth = order === 'first' ? items : items.toReversed()
    const keep = new Set<unknown>()
    let size = 4
    for (const item of byWorth) {
      const tokens = counter.count(`${itemLine(title, item)}\n`)
      if (size + tokens > (keep.size < least ? left : limit)) break
      size += tokens
      keep.add(item)
    }
    if (keep.size > 0) left -= size
    if (keep.size < items.length) {
      shed.push([name, items.length - keep.size])
      kept = set(
        kept,
        items.filter((item) => keep.has(item)),
      )
    }
  }
  return { bundle: kept, shed }
}

function inOrder<T>(all: readonly T[], some: readonly T[]): T[] {
  const keep = new Set(some)
  return all.filter((item) => keep.has(item))
}
