import { itemLine } from '../bundle/markdown-sections.ts'
import type { ContextBundle } from '../bundle/schema.ts'
import { shortLine } from '../session/short-line.ts'
import type { TokenCounter } from '../tokens/token-counter.ts'

/** A list of a bundle, or its items of one sort, that may be shortened. */
interface ListBudget {
  readonly name: string
  /** Title of its Markdown section, whose lines give the cost of an item. */
  readonly title: string
  readonly path: readonly string[]
  /** Maximum share of the whole budget. */
  readonly share: number
  /** Which items stay if not all can. */
  readonly keeps: 'first' | 'last'
  readonly sort?: (item: never) => boolean
  /**
   * Number of items that get room, in their short form, before a more important list gets more than its own `least`.
   * @default 0
   */
  readonly least?: number
  /** A shorter form of an item, used if not all items fit in full: many short ones say more than a few long ones. */
  readonly slim?: (item: never) => object
}

type File = ContextBundle['files'][number]
type BundleError = ContextBundle['errors'][number]
type Command = ContextBundle['commands'][number]
type Decision = ContextBundle['decisions'][number]
type Commit = ContextBundle['git']['commits'][number]
type Statement = ContextBundle['findings'][number]

// Scratch folders of Linux, macOS and Windows: their content is gone by the next session.
const scratch = ({ path }: File) =>
  /^(?:\/private)?\/(?:tmp|var\/folders)\/|\/AppData\/Local\/Temp\//.test(path)
const isTouched = ({ status }: File) => status !== 'read' && status !== 'named'
const changed = (file: File) => isTouched(file) && !scratch(file)
const named = (file: File) => file.status === 'named' && !scratch(file)
const looked = (file: File) => file.status === 'read' && !scratch(file)
const bare = ({ reason, ...file }: File) => file
const shortError = (error: BundleError) => ({ ...error, message: shortLine(error.message, 110) })
const shortCommand = (command: Command) => ({ ...command, command: shortLine(command.command, 80) })
const shortCommit = ({ subject, ...commit }: Commit) =>
  subject === undefined ? commit : { ...commit, subject: shortLine(subject, 60) }
const shortStatement = (item: Statement) => ({ ...item, text: shortLine(item.text, 140) })
const shortDecision = ({ topic, choice, ...decision }: Decision) => ({
  ...decision,
  ...(topic === undefined ? {} : { topic: shortLine(topic, 80) }),
  choice: shortLine(choice, 120),
  alternatives: [],
})
const open = (error: BundleError) => error.resolution === undefined
const solved = (error: BundleError) => error.resolution !== undefined

/** Part of its share up to which a list gives items their full form: the trail makes better use of the rest. */
const fullShare = 0.6

/** In order of importance: the later ones lose first. */
const listBudgets: readonly ListBudget[] = [
  { name: 'next steps', title: 'Next steps', path: ['nextSteps'], share: 0.15, keeps: 'first', least: 1 },
  { name: 'constraints', title: 'Constraints', path: ['constraints'], share: 0.45, keeps: 'last', least: 12 },
  {
    name: 'open errors',
    title: 'Errors',
    path: ['errors'],
    share: 0.1,
    keeps: 'last',
    sort: open,
    least: 6,
    slim: shortError,
  },
  {
    name: 'files changed',
    title: 'Files',
    path: ['files'],
    share: 0.25,
    keeps: 'last',
    sort: changed,
    least: 8,
    slim: bare,
  },
  { name: 'blockers', title: 'Blockers', path: ['workflow', 'blockers'], share: 0.05, keeps: 'last' },
  {
    name: 'tasks remaining',
    title: 'Tasks remaining',
    path: ['workflow', 'tasksRemaining'],
    share: 0.1,
    keeps: 'first',
  },
  { name: 'steps', title: 'Steps', path: ['plan', 'steps'], share: 0.15, keeps: 'first' },
  { name: 'in progress', title: 'In progress', path: ['progress', 'inProgress'], share: 0.1, keeps: 'first' },
  { name: 'remaining', title: 'Remaining', path: ['progress', 'remaining'], share: 0.1, keeps: 'first' },
  {
    name: 'decisions',
    title: 'Decisions',
    path: ['decisions'],
    share: 0.12,
    keeps: 'last',
    least: 3,
    slim: shortDecision,
  },
  { name: 'open questions', title: 'Open questions', path: ['openQuestions'], share: 0.06, keeps: 'last' },
  { name: 'risks', title: 'Risks', path: ['plan', 'risks'], share: 0.06, keeps: 'first' },
  {
    name: 'commands',
    title: 'Commands',
    path: ['commands'],
    share: 0.12,
    keeps: 'last',
    least: 6,
    slim: shortCommand,
  },
  {
    name: 'commits',
    title: 'Commits',
    path: ['git', 'commits'],
    share: 0.05,
    keeps: 'last',
    slim: shortCommit,
  },
  {
    name: 'findings',
    title: 'Findings',
    path: ['findings'],
    share: 0.08,
    keeps: 'last',
    slim: shortStatement,
  },
  { name: 'completed', title: 'Completed', path: ['progress', 'completed'], share: 0.06, keeps: 'last' },
  {
    name: 'tasks completed',
    title: 'Tasks completed',
    path: ['workflow', 'tasksCompleted'],
    share: 0.05,
    keeps: 'last',
  },
  {
    name: 'files read',
    title: 'Files',
    path: ['files'],
    share: 0.1,
    keeps: 'last',
    sort: looked,
    slim: bare,
  },
  {
    name: 'files named',
    title: 'Files',
    path: ['files'],
    share: 0.04,
    keeps: 'last',
    sort: named,
    least: 4,
    slim: bare,
  },
  {
    name: 'solved errors',
    title: 'Errors',
    path: ['errors'],
    share: 0.08,
    keeps: 'last',
    sort: solved,
    least: 3,
    slim: shortError,
  },
  { name: 'scratch files', title: 'Files', path: ['files'], share: 0.02, keeps: 'last', sort: scratch },
  {
    name: 'usage by model',
    title: 'Usage by model',
    path: ['usage', 'byModel'],
    share: 0.02,
    keeps: 'first',
  },
  {
    name: 'usage by agent',
    title: 'Usage by agent',
    path: ['usage', 'byAgent'],
    share: 0.03,
    keeps: 'first',
  },
  { name: 'notes', title: 'Notes', path: ['notes'], share: 0.03, keeps: 'first' },
]

/** Items that were left out, for a note: list name and number of items. */
export type Trimmed = readonly (readonly [name: string, items: number])[]

/**
 * Shortens the lists of a bundle so that they take at most `budget` tokens, each no more than its share of `whole`.
 * First each list gets its `least`, then the most important lists are served first. If not all items of a list fit,
 * they take their short form, the least important go, and the room that is left gives the first of them their full form
 * back.
 */
export function trimLists(
  bundle: ContextBundle,
  budget: number,
  whole: number,
  counter: TokenCounter,
): { bundle: ContextBundle; trimmed: Trimmed } {
  const lists = listBudgets.flatMap((limits) => listOf(limits, bundle, counter))
  let left = budget
  for (const list of lists) {
    const { least = 0, share } = list.limits
    left -= grow(list, left, Math.min(1, least))
    left -= grow(list, Math.min(left, share * whole - list.size), least)
  }
  for (const list of lists) {
    left -= grow(list, Math.min(left, list.limits.share * whole - list.size))
    left -= restore(list, Math.min(left, fullShare * list.limits.share * whole - list.size))
  }
  const forms = new Map(lists.flatMap(({ chosen }) => [...chosen]))
  const paths = new Map(lists.map(({ limits: { path } }) => [path.join(), path]))
  const kept = [...paths.values()].reduce(
    (rest, path) =>
      withList(
        rest,
        path,
        listAt(bundle, path).flatMap((item) => forms.get(item) ?? []),
      ),
    bundle,
  )
  const trimmed = lists
    .map(({ limits, items, chosen }) => [limits.name, items.length - chosen.size] as const)
    .filter(([, dropped]) => dropped > 0)
  return { bundle: kept, trimmed }
}

/** A list while it is filled: its items in order of importance, the chosen ones with their form, and their tokens. */
interface List {
  readonly limits: ListBudget
  readonly items: readonly unknown[]
  readonly chosen: Map<unknown, unknown>
  readonly sizeOf: (item: unknown) => number
  size: number
}

function listOf(limits: ListBudget, bundle: ContextBundle, counter: TokenCounter): List[] {
  const items = listAt(bundle, limits.path).filter((item) => limits.sort?.(item as never) ?? true)
  if (items.length === 0) return []
  const sizeOf = (item: unknown) => counter.count(`${itemLine(limits.title, item)}\n`)
  return [
    {
      limits,
      items: limits.keeps === 'first' ? items : items.toReversed(),
      chosen: new Map(),
      sizeOf,
      size: 0,
    },
  ]
}

/** Adds items in their short form, up to a number of them, while there is room. Returns the tokens that it took. */
function grow(list: List, room: number, most = Number.POSITIVE_INFINITY): number {
  const { limits, items, chosen, sizeOf } = list
  const before = list.size
  while (chosen.size < Math.min(most, items.length)) {
    const item = items[chosen.size]
    const slim = limits.slim?.(item as never) ?? item
    const tokens = sizeOf(slim) + (list.size === 0 ? headingTokens : 0)
    if (list.size - before + tokens > room) break
    chosen.set(item, slim)
    list.size += tokens
  }
  return list.size - before
}

/** Gives items their full form back while there is room, the first ones first. Returns the tokens that it took. */
function restore(list: List, room: number): number {
  const before = list.size
  for (const [item, slim] of list.chosen) {
    const longer = slim === item ? 0 : list.sizeOf(item) - list.sizeOf(slim)
    if (list.size - before + longer > room) break
    list.size += longer
    list.chosen.set(item, item)
  }
  return list.size - before
}

const headingTokens = 4

function listAt(bundle: ContextBundle, path: readonly string[]): readonly unknown[] {
  const found = path.reduce<unknown>((value, key) => (isRecord(value) ? value[key] : undefined), bundle)
  return Array.isArray(found) ? found : []
}

function withList(bundle: ContextBundle, path: readonly string[], items: readonly unknown[]): ContextBundle {
  const put = (value: unknown, [key = '', ...rest]: readonly string[]): unknown =>
    key === '' || !isRecord(value) ? items : { ...value, [key]: put(value[key], rest) }
  return put(bundle, path) as ContextBundle
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
