import { element } from './dom.ts'
import type { Row } from './rows.ts'

// Twenty thousand rows are too many to lay out at once. They are in chunks of a fixed number; a chunk is filled when it
// comes near the view and emptied when it is far away, and keeps its height meanwhile.

const chunkRows = 40
const margin = 1600

export interface ChunkView {
  draw(row: Row): HTMLElement
  /** Expected height in pixels of a row that was never drawn. */
  guess(row: Row): number
  /** Called with each chunk that was filled. */
  onFill(chunk: HTMLElement): void
}

interface Chunk {
  readonly node: HTMLElement
  rows: readonly Row[]
  readonly sign: string
  filled: boolean
}

export interface ChunkList {
  show(rows: readonly Row[]): void
  /** The element of a row, which is drawn if necessary; undefined if there is no such row. */
  reveal(key: string): HTMLElement | undefined
  /** The element of a row if it is drawn. */
  drawn(key: string): HTMLElement | undefined
  /** Redraws a row if it is drawn. */
  redraw(key: string): HTMLElement | undefined
  position(key: string): number | undefined
  /** Position of the row at a height of the window, or of the last one above it. */
  positionAt(y: number): number | undefined
  /** Draws all rows; `fillNear` empties those far from the view again. */
  fillAll(): void
  fillNear(): void
  readonly rows: readonly Row[]
}

/** Keeps `list` filled with the rows near the view of `pane`. */
export function chunkList(pane: HTMLElement, list: HTMLElement, view: ChunkView): ChunkList {
  let rows: readonly Row[] = []
  let chunks: Chunk[] = []
  let positions = new Map<string, number>()
  const byNode = new Map<Element, Chunk>()
  const observer = new IntersectionObserver(onCross, { root: pane, rootMargin: `${margin}px 0px` })

  function onCross(entries: readonly IntersectionObserverEntry[]): void {
    const far: Chunk[] = []
    for (const { target, isIntersecting } of entries) {
      const chunk = byNode.get(target)
      if (chunk === undefined) continue
      if (isIntersecting) fill(chunk)
      else if (chunk.filled && !target.contains(document.activeElement)) far.push(chunk)
    }
    // Measured first and emptied afterwards: each measurement in between would lay out the page again.
    const heights = far.map(({ node }) => node.offsetHeight)
    for (const [index, chunk] of far.entries()) empty(chunk, heights[index] ?? 0)
  }

  function fill(chunk: Chunk): void {
    if (chunk.filled) return
    chunk.filled = true
    chunk.node.replaceChildren(...chunk.rows.map((row) => view.draw(row)))
    chunk.node.style.height = ''
    view.onFill(chunk.node)
  }

  function empty(chunk: Chunk, height: number): void {
    chunk.filled = false
    chunk.node.style.height = `${height}px`
    chunk.node.replaceChildren()
  }

  function makeChunk(part: readonly Row[], sign: string): Chunk {
    const node = element('div', { class: 'chunk' })
    node.style.height = `${part.reduce((sum, row) => sum + view.guess(row), 0)}px`
    const chunk = { node, rows: part, sign, filled: false }
    byNode.set(node, chunk)
    observer.observe(node)
    return chunk
  }

  function show(next: readonly Row[]): void {
    rows = next
    positions = new Map(next.map((row, index) => [row.key, index]))
    const known = new Map(chunks.map((chunk) => [chunk.sign, chunk]))
    const shown: Chunk[] = []
    for (let start = 0; start < next.length; start += chunkRows) {
      const part = next.slice(start, start + chunkRows)
      const sign = part.map((row) => row.sign).join(' ')
      const chunk = known.get(sign) ?? makeChunk(part, sign)
      known.delete(sign)
      chunk.rows = part
      shown.push(chunk)
    }
    for (const chunk of known.values()) {
      observer.unobserve(chunk.node)
      byNode.delete(chunk.node)
      chunk.node.remove()
    }
    chunks = shown
    place(list, shown)
  }

  function chunkOf(key: string): { chunk: Chunk; offset: number } | undefined {
    const position = positions.get(key)
    const chunk = position === undefined ? undefined : chunks[Math.floor(position / chunkRows)]
    return position === undefined || chunk === undefined ? undefined : { chunk, offset: position % chunkRows }
  }

  function drawn(key: string): HTMLElement | undefined {
    const at = chunkOf(key)
    const child = at?.chunk.filled ? at.chunk.node.children[at.offset] : undefined
    return child instanceof HTMLElement ? child : undefined
  }

  function reveal(key: string): HTMLElement | undefined {
    const at = chunkOf(key)
    if (at === undefined) return undefined
    fill(at.chunk)
    return drawn(key)
  }

  function redraw(key: string): HTMLElement | undefined {
    const old = drawn(key)
    const at = chunkOf(key)
    const row = at?.chunk.rows[at.offset]
    if (old === undefined || row === undefined) return undefined
    const fresh = view.draw(row)
    old.replaceWith(fresh)
    return fresh
  }

  function positionAt(y: number): number | undefined {
    const index = lastAbove(chunks.length, y, (at) => chunks[at]?.node)
    const chunk = chunks[index]
    if (chunk === undefined) return undefined
    const { children } = chunk.node
    const offset = chunk.filled ? lastAbove(children.length, y, (at) => children[at]) : 0
    return Math.min(rows.length - 1, index * chunkRows + offset)
  }

  return {
    show,
    reveal,
    drawn,
    redraw,
    position: (key) => positions.get(key),
    positionAt,
    fillAll() {
      for (const chunk of chunks) fill(chunk)
    },
    fillNear() {
      // An observer reports each element once when it begins to observe it.
      observer.disconnect()
      for (const { node } of chunks) observer.observe(node)
    },
    get rows() {
      return rows
    },
  }
}

/** Puts the nodes in order without moving those that are already right: a moved node loses focus and selection. */
function place(list: HTMLElement, chunks: readonly Chunk[]): void {
  let at: Element | null = list.firstElementChild
  for (const { node } of chunks) {
    if (node === at) at = at.nextElementSibling
    else list.insertBefore(node, at)
  }
  while (at !== null) {
    const next: Element | null = at.nextElementSibling
    at.remove()
    at = next
  }
}

/** Index of the last of some elements, in their order down the page, that begins above a height; 0 if none does. */
function lastAbove(length: number, y: number, nodeAt: (at: number) => Element | undefined): number {
  let [low, high] = [0, length - 1]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((nodeAt(middle)?.getBoundingClientRect().top ?? 0) <= y) low = middle
    else high = middle - 1
  }
  return low
}
