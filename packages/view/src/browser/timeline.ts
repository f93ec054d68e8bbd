import { byId } from './dom.ts'
import { type Item, isFailure, type Model, type Turn } from './model.ts'
import { drawRow } from './row-view.ts'
import { type Filters, isFiltered, type Row, rowsOf, searchPattern } from './rows.ts'
import { slotList } from './slots.ts'

export interface TimelineActions {
  filters(): Filters
  clearFilters(): void
  pick(statement: number): void
  onView(turn: Turn | undefined): void
  onCount(shown: number, filtered: boolean): void
}

export function createTimeline(actions: TimelineActions) {
  const pane = byId('timeline')
  const open = new Set<string>()
  const folded = new Set<string>()
  let evidence: ReadonlySet<number> = new Set()
  let model: Model
  let cursor: string | undefined

  let scheduled = false
  const lookSoon = (): void => {
    if (scheduled) return
    scheduled = true
    requestAnimationFrame(look)
  }
  const list = slotList(
    byId('rows'),
    (row) => {
      const [{ pick }, { query }] = [actions, actions.filters()]
      return drawRow(row, { model, query, evidence, isOpen: (key) => open.has(key), toggle, pick })
    },
    (node) => {
      markFound(node, actions.filters().query)
      lookSoon()
    },
  )

  pane.addEventListener('scroll', lookSoon, { passive: true })
  new ResizeObserver(lookSoon).observe(pane)

  function look(): void {
    scheduled = false
    actions.onView(turnAbove(rowAt(6)))
  }

  /** Position of the row that is this many pixels below the top of the view. */
  function rowAt(y: number): number {
    return list.positionAt(pane.getBoundingClientRect().top + y)
  }

  function turnAbove(position: number): Turn | undefined {
    for (let at = position; at >= 0; at--) {
      const row = list.row(at)
      if (row?.type === 'turn') return row.turn
    }
    return undefined
  }

  function redrawEvents(indexes: readonly number[]): void {
    for (const index of indexes) {
      const item = model.itemOf.get(index)
      if (item !== undefined) redrawRow(item.key)
    }
  }

  function refresh(anchorKey?: string): void {
    const key = anchorKey ?? list.row(rowAt(6))?.key
    const before = key === undefined ? undefined : list.drawn(key)?.getBoundingClientRect().top
    const focused = document.activeElement?.getAttribute('data-focus')
    const atEnd = pane.scrollTop > 0 && pane.scrollTop + pane.clientHeight >= pane.scrollHeight - 60
    CSS.highlights?.delete(highlightName)
    const filters = actions.filters()
    const rows = rowsOf(model, filters, { open, folded })
    list.show(rows)
    markFound(byId('rows'), filters.query)
    actions.onCount(rows.filter(({ type }) => type === 'item').length, isFiltered(filters))
    const node = key === undefined ? undefined : list.reveal(key)
    if (atEnd && anchorKey === undefined) toEnd()
    else if (node !== undefined && before !== undefined)
      pane.scrollTop += node.getBoundingClientRect().top - before
    // The row that had the focus may be another element now.
    if (focused && !document.activeElement?.hasAttribute('data-focus')) {
      const row = list.reveal(focused)
      if (row !== undefined) focusRow(row)
    }
    lookSoon()
  }

  function toEnd(): void {
    pane.scrollTop = pane.scrollHeight
    requestAnimationFrame(() => {
      pane.scrollTop = pane.scrollHeight
    })
  }

  function toggle(key: string): void {
    const set = key.startsWith('turn-') ? folded : open
    if (!set.delete(key)) set.add(key)
    cursor = key
    refresh(key)
    redrawRow(key)
  }

  function redrawRow(key: string): void {
    const held = document.activeElement?.getAttribute('data-focus') === key
    const node = list.redraw(key)
    if (node !== undefined && held) focusRow(node)
  }

  function focusRow(node: HTMLElement): void {
    const target = node.querySelector<HTMLElement>('[data-focus]') ?? node
    if (target === node) node.tabIndex = -1
    target.focus({ preventScroll: true })
  }

  function unfoldTo(item: Item): void {
    const turn = model.turnOf.get(item)
    if (turn !== undefined) folded.delete(turn.key)
    for (let run = model.homeOf.get(item); run !== undefined; run = model.homeOf.get(run.parent))
      open.add(run.parent.key)
  }

  function goToItem(item: Item, unfold: boolean): void {
    unfoldTo(item)
    if (unfold) open.add(item.key)
    const rows = rowsOf(model, actions.filters(), { open, folded })
    if (!rows.some(({ key }) => key === item.key)) actions.clearFilters()
    refresh()
    cursor = item.key
    redrawRow(item.key)
    scrollTo(item.key, 'center')
  }

  function scrollTo(key: string, block: 'start' | 'center'): void {
    const aim = (): HTMLElement | undefined => {
      const node = list.reveal(key)
      // A row taller than the view is shown from its beginning.
      const tall = (node?.offsetHeight ?? 0) > pane.clientHeight * 0.8
      node?.scrollIntoView({ block: tall ? 'start' : block })
      return node
    }
    const node = aim()
    if (node !== undefined) focusRow(node)
    // Rows around it are drawn now, and they are higher or lower than expected.
    requestAnimationFrame(() => {
      aim()
      requestAnimationFrame(aim)
    })
  }

  /** Position of the last target if it is still in view, otherwise of the first row in view. */
  function here(): number {
    const node = cursor === undefined ? undefined : list.drawn(cursor)
    const box = pane.getBoundingClientRect()
    const place = node?.getBoundingClientRect()
    if (place !== undefined && place.bottom > box.top && place.top < box.bottom)
      return list.position(cursor ?? '') ?? 0
    return rowAt(6) - 1
  }

  function step(by: 1 | -1, wanted: (row: Row) => boolean): void {
    for (let at = here() + by; at >= 0 && at < list.length; at += by) {
      const row = list.row(at)
      if (row === undefined || !wanted(row)) continue
      cursor = row.key
      scrollTo(row.key, row.type === 'turn' ? 'start' : 'center')
      return
    }
  }

  return {
    setModel(next: Model, changed: readonly number[]) {
      model = next
      refresh()
      redrawEvents(changed)
    },
    refresh,
    /** Scrolls an event into the middle of the view, unfolding what hides it. */
    goTo(index: number, unfold = false) {
      const item = model.itemOf.get(index)
      if (item !== undefined) goToItem(item, unfold)
    },
    goToTurn(key: string) {
      if (list.position(key) === undefined) actions.clearFilters()
      cursor = key
      scrollTo(key, 'start')
    },
    stepTurn: (by: 1 | -1) => step(by, ({ type }) => type === 'turn'),
    stepStep: (by: 1 | -1) => step(by, ({ type }) => type === 'item'),
    stepFailure(by: 1 | -1) {
      const row = list.row(Math.max(0, here()))
      const items = row?.type === 'turn' ? row.turn.items : row?.type === 'item' ? [row.item] : []
      const from = model.items.findIndex(({ key }) => key === items[0]?.key)
      const start = row?.type === 'turn' ? from - (by === 1 ? 1 : 0) : from
      for (let at = start + by; at >= 0 && at < model.items.length; at += by) {
        const item = model.items[at]
        if (item === undefined || !isFailure(model.data.events[item.result ?? item.index])) continue
        goToItem(item, true)
        return
      }
    },
    toggleCurrent() {
      const row = list.row(Math.max(0, here()))
      if (row !== undefined && row.type !== 'divider') toggle(row.key)
    },
    setEvidence(indexes: readonly number[]) {
      const touched = [...evidence, ...indexes]
      evidence = new Set(indexes)
      redrawEvents(touched)
    },
  }
}

const highlightName = 'found'

/** Highlights the search hits in an element, without changing it (CSS Custom Highlights). */
function markFound(root: Node, query: string): void {
  const registry = CSS.highlights
  if (registry === undefined) return
  const highlight = registry.get(highlightName) ?? new Highlight()
  registry.set(highlightName, highlight)
  if (query === '') return
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
  const pattern = searchPattern(query, 'giu')
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode())
    for (const { index, 0: found } of (node.textContent ?? '').matchAll(pattern)) {
      const range = new Range()
      range.setStart(node, index)
      range.setEnd(node, index + found.length)
      highlight.add(range)
    }
}
