import { itemLine } from '../bundle/markdown-sections.ts'
import type { ContextBundle } from '../bundle/schema.ts'
import type { TokenCounter } from '../tokens/token-counter.ts'

/** A list of a bundle, or the items of one sort in it, that may be shortened. */
interface Shelf {
  readonly name: string
  /** Of the section in Markdown, whose lines tell what an item costs. */
  readonly title: string
  readonly path: readonly string[]
  /** Most of the whole budget that it may take. */
  readonly share: number
  /** Which items stay when not all can. */
  readonly keeps: 'first' | 'last'
  readonly sort?: (item: never) => boolean
  /** Items that may exceed the share. @default 0 */
  readonly least?: number
}

type File = ContextBundle['files'][number]
type BundleError = ContextBundle['errors'][number]

// Scratch folders of Linux, macOS and Windows: what lies there is gone by the next session.
const scratch = ({ path }: File) =>
  /^(?:\/private)?\/(?:tmp|var\/folders)\/|\/AppData\/Local\/Temp\//.test(path)
const changed = (file: File) => file.status !== 'read' && !scratch(file)
const looked = (file: File) => file.status === 'read' && !scratch(file)
const open = (error: BundleError) => error.resolution === undefined
const solved = (error: BundleError) => error.resolution !== undefined

/** In order of worth: the later lose first. */
const shelves: readonly Shelf[] = [
  { name: 'next steps', title: 'Next steps', path: ['nextSteps'], share: 0.15, keeps: 'first', least: 1 },
  { name: 'constraints', title: 'Constraints', path: ['constraints'], share: 0.45, keeps: 'last' },
  { name: 'open errors', title: 'Errors', path: ['errors'], share: 0.1, keeps: 'last', sort: open },
  { name: 'files changed', title: 'Files', path: ['files'], share: 0.25, keeps: 'last', sort: changed },
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
  { name: 'decisions', title: 'Decisions', path: ['decisions'], share: 0.12, keeps: 'last' },
  { name: 'open questions', title: 'Open questions', path: ['openQuestions'], share: 0.06, keeps: 'last' },
  { name: 'risks', title: 'Risks', path: ['plan', 'risks'], share: 0.06, keeps: 'first' },
  { name: 'commands', title: 'Commands', path: ['commands'], share: 0.12, keeps: 'last' },
  { name: 'commits', title: 'Commits', path: ['git', 'commits'], share: 0.05, keeps: 'last' },
  { name: 'findings', title: 'Findings', path: ['findings'], share: 0.08, keeps: 'last' },
  { name: 'completed', title: 'Completed', path: ['progress', 'completed'], share: 0.06, keeps: 'last' },
  {
    name: 'tasks completed',
    title: 'Tasks completed',
    path: ['workflow', 'tasksCompleted'],
    share: 0.05,
    keeps: 'last',
  },
  { name: 'files read', title: 'Files', path: ['files'], share: 0.1, keeps: 'last', sort: looked },
  { name: 'solved errors', title: 'Errors', path: ['errors'], share: 0.04, keeps: 'last', sort: solved },
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
  for (const shelf of shelves) {
    const items = listAt(bundle, shelf.path).filter((item) => shelf.sort?.(item as never) ?? true)
    if (items.length === 0) continue
    const limit = Math.min(left, shelf.share * whole)
    const keep = new Set<unknown>()
    let size = headingTokens
    for (const item of shelf.keeps === 'first' ? items : items.toReversed()) {
      const tokens = counter.count(`${itemLine(shelf.title, item)}\n`)
      if (size + tokens > (keep.size < (shelf.least ?? 0) ? left : limit)) break
      size += tokens
      keep.add(item)
    }
    if (keep.size > 0) left -= size
    if (keep.size === items.length) continue
    shed.push([shelf.name, items.length - keep.size])
    const dropped = new Set(items.filter((item) => !keep.has(item)))
    kept = withList(
      kept,
      shelf.path,
      listAt(kept, shelf.path).filter((item) => !dropped.has(item)),
    )
  }
  return { bundle: kept, shed }
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
