import { type AgentRun, type Item, isFailure, type Model, type Turn } from './model.ts'
import type { PageEvent } from './page-data.ts'

export const groups = ['prompts', 'replies', 'reasoning', 'tools', 'context', 'marks'] as const
export type Group = (typeof groups)[number]

export interface Filters {
  readonly groups: ReadonlySet<Group>
  readonly agent?: number | undefined
  readonly failed: boolean
  readonly kept: boolean
  readonly query: string
}

export const noFilters: Filters = { groups: new Set(groups), failed: false, kept: false, query: '' }

/** Keys of the unfolded steps and of the folded turns. */
export interface Folding {
  readonly open: ReadonlySet<string>
  readonly folded: ReadonlySet<string>
}

/** One line of the timeline. It is redrawn if `sign` changes. */
export type Row = { readonly key: string; readonly sign: string } & (
  | { readonly type: 'divider' }
  | { readonly type: 'turn'; readonly turn: Turn; readonly folded: boolean }
  | { readonly type: 'item'; readonly item: Item; readonly depth: number }
)

export function rowsOf(model: Model, filters: Filters, folding: Folding): Row[] {
  const rows: Row[] = []
  const filtered = isFiltered(filters)
  const shows = matcher(model, filters)
  let divided = false
  let before = false
  for (const turn of model.turns) {
    const folded = folding.folded.has(turn.key) && !filtered
    const below: Row[] = []
    if (!folded) addItems(below, turn.items, 0)
    if (below.length === 0 && filtered) continue
    const { key, tokens, calls, failed, end, replayed } = turn
    // History that the log itself repeats goes over into its own events without a mark in between.
    const own = before && model.data.session.replayedFrom !== undefined
    const divider = replayed ? !divided && 'replayed' : own && 'own'
    if (divider) rows.push({ type: 'divider', key: divider, sign: divider })
    divided ||= replayed
    before = replayed
    const sign = `${key}:${tokens}:${calls}:${failed}:${end}:${folded}`
    rows.push({ type: 'turn', key, sign, turn, folded })
    for (const row of below) rows.push(row)
  }
  return rows

  function addItems(to: Row[], items: readonly Item[], depth: number): boolean {
    let any = false
    for (const item of items) {
      const start = to.length
      const sign = `${item.key}:${item.result}:${item.agent?.items.length}:${depth}`
      to.push({ type: 'item', key: item.key, sign, item, depth })
      const unfold = filtered || folding.open.has(item.key)
      const inside = item.agent !== undefined && unfold && addItems(to, item.agent.items, depth + 1)
      if (inside || shows(item)) any = true
      else to.length = start
    }
    return any
  }
}

export function isFiltered({ groups: shown, agent, failed, kept, query }: Filters): boolean {
  return shown.size < groups.length || agent !== undefined || failed || kept || query !== ''
}

function matcher({ data, kept }: Model, filters: Filters): (item: Item) => boolean {
  const pattern = filters.query === '' ? undefined : searchPattern(filters.query)
  return (item) => {
    const event = data.events[item.index]
    if (event === undefined) return false
    const result = item.result === undefined ? undefined : data.events[item.result]
    if (!filters.groups.has(groupOf(item, event))) return false
    if (filters.agent !== undefined && event.agent !== filters.agent && item.agent?.agent !== filters.agent)
      return false
    if (filters.failed && !isFailure(result) && !isFailure(event)) return false
    if (filters.kept && !(kept.has(item.index) || kept.has(item.result ?? -1))) return false
    if (pattern === undefined) return true
    if (item.note !== undefined) return pattern.test(item.note.message)
    return textsOf(event).some((text) => pattern.test(text)) || pattern.test(result?.text ?? '')
  }
}

export function searchPattern(query: string, flags = 'iu'): RegExp {
  return new RegExp(query.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'), flags)
}

export function textsOf(event: PageEvent): string[] {
  const { id, name = '', text = '', input = [], edits = [] } = event
  return [id, name, text, ...input.flat(), ...edits.flat()]
}

const groupOfType: { readonly [type in PageEvent['type']]?: Group } = {
  ...{ user: 'prompts', assistant: 'replies', reasoning: 'reasoning', context: 'context' },
  ...{ tool_call: 'tools', tool_result: 'tools' },
}

export function groupOf({ note }: Item, { type }: PageEvent): Group {
  return (note === undefined && groupOfType[type]) || 'marks'
}

/** Tokens, steps and failures of a subagent and those below it; none without a subagent. */
export function totalsOf(run: AgentRun | undefined, { data }: Model) {
  const totals = { tokens: 0, steps: 0, failed: 0 }
  const open = run === undefined ? [] : [run]
  for (let next = open.pop(); next !== undefined; next = open.pop())
    for (const item of next.items) {
      const result = item.result === undefined ? undefined : data.events[item.result]
      totals.steps += 1
      totals.tokens += (data.events[item.index]?.tokens ?? 0) + (result?.tokens ?? 0)
      if (isFailure(result)) totals.failed += 1
      if (item.agent !== undefined) open.push(item.agent)
    }
  return totals
}
