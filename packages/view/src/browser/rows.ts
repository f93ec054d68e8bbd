import { type AgentRun, type Item, isFailure, type Model, type Turn } from './model.ts'
import type { PageEvent } from './page-data.ts'

export const groups = ['prompts', 'replies', 'reasoning', 'tools', 'context', 'marks'] as const
export type Group = (typeof groups)[number]

export interface Filters {
  readonly groups: ReadonlySet<Group>
  readonly agent?: number
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
  | { readonly type: 'item'; readonly item: Item; readonly depth: number; readonly replayed: boolean }
)

export function rowsOf(model: Model, filters: Filters, folding: Folding): Row[] {
  const rows: Row[] = []
  const filtered = isFiltered(filters)
  const shows = matcher(model, filters)
  let divided = model.firstReplayed === -1
  let replayed = false
  for (const turn of model.turns) {
    const folded = folding.folded.has(turn.key) && !filtered
    const below: Row[] = []
    if (!folded) addItems(below, turn.items, 0)
    if (below.length === 0 && filtered) continue
    if (!divided && turn.replayed) {
      divided = true
      rows.push({ type: 'divider', key: 'replayed', sign: 'replayed' })
    }
    // History that the log itself repeats goes over into its own events without a mark in between.
    if (replayed && !turn.replayed && model.data.session.replayedFrom !== undefined)
      rows.push({ type: 'divider', key: 'own', sign: 'own' })
    replayed = turn.replayed
    const { key, tokens, calls, failed, end } = turn
    rows.push({
      type: 'turn',
      key,
      turn,
      folded,
      sign: `${key}:${tokens}:${calls}:${failed}:${end}:${folded}`,
    })
    for (const row of below) rows.push(row)
  }
  return rows

  function addItems(to: Row[], items: readonly Item[], depth: number): boolean {
    let any = false
    for (const item of items) {
      const start = to.length
      const event = model.data.events[item.index]
      const size = item.agent === undefined ? '' : `${item.agent.items.length}`
      const sign = `${item.key}:${item.result ?? ''}:${size}:${depth}`
      to.push({ type: 'item', key: item.key, item, depth, sign, replayed: event?.replayed === true })
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

/** Tokens, steps and failures of a subagent and those below it. */
export function totalsOf(run: AgentRun, { data }: Model): { tokens: number; steps: number; failed: number } {
  const totals = { tokens: 0, steps: 0, failed: 0 }
  const open = [run]
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
