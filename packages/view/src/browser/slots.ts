import { element } from './dom.ts'
import type { Row } from './rows.ts'

// Twenty thousand rows are too many to draw at once. Each has a slot, which the browser skips while it is far from the view
// (content-visibility); a row is drawn when its slot comes near.

interface Slot {
  readonly node: HTMLElement
  row: Row
  position: number
}

/** Keeps `list` filled with the rows near the view, and with all of them for printing; `onDraw` gets what was drawn. */
export function slotList(
  list: HTMLElement,
  draw: (row: Row) => HTMLElement,
  onDraw: (node: HTMLElement) => void,
) {
  let slots = new Map<string, Slot>()
  let order: Slot[] = []
  const byNode = new WeakMap<EventTarget, Slot>()
  addEventListener('beforeprint', () => order.forEach(fill))
  list.addEventListener('contentvisibilityautostatechange', (event) => {
    const slot = event.target && byNode.get(event.target)
    if (slot && 'skipped' in event && !event.skipped) fill(slot)
  })

  function redraw({ node, row }: Slot): HTMLElement {
    const drawn = draw(row)
    node.replaceChildren(drawn)
    onDraw(node)
    return drawn
  }

  function fill(slot: Slot): void {
    if (slot.node.firstChild === null) redraw(slot)
  }

  function slotFor(row: Row, position: number): Slot {
    const known = slots.get(row.key)
    if (known === undefined) {
      const made = { node: element('div', { class: 'slot' }), row, position }
      byNode.set(made.node, made)
      return made
    }
    const differs = known.row.sign !== row.sign
    Object.assign(known, { row, position })
    if (differs && known.node.firstChild !== null) redraw(known)
    return known
  }

  function show(rows: readonly Row[]): void {
    order = rows.map(slotFor)
    const next = new Map(order.map((slot) => [slot.row.key, slot]))
    for (const [key, { node }] of slots) if (!next.has(key)) node.remove()
    slots = next
    // Nodes that are already in their place do not move: a moved one loses focus and selection.
    let at = list.firstChild
    for (const { node } of order) {
      if (node === at) at = node.nextSibling
      else list.insertBefore(node, at)
    }
  }

  function drawn(key: string): HTMLElement | undefined {
    const child = slots.get(key)?.node.firstElementChild
    return child instanceof HTMLElement ? child : undefined
  }

  return {
    show,
    drawn,
    /** The element of a row, which is drawn if necessary; undefined if there is no such row. */
    reveal(key: string): HTMLElement | undefined {
      const slot = slots.get(key)
      if (slot !== undefined) fill(slot)
      return drawn(key)
    },
    redraw(key: string): HTMLElement | undefined {
      const slot = slots.get(key)
      return slot?.node.firstChild ? redraw(slot) : undefined
    },
    position: (key: string) => slots.get(key)?.position,
    row: (position: number) => order[position]?.row,
    get length() {
      return order.length
    },
    /** Position of the row at a height of the window, or of the last one above it. */
    positionAt(y: number): number {
      let [low, high] = [0, order.length]
      while (low < high) {
        const middle = (low + high) >> 1
        const { top = 0 } = order[middle]?.node.getBoundingClientRect() ?? {}
        if (top <= y) low = middle + 1
        else high = middle
      }
      return Math.max(0, low - 1)
    },
  }
}
