import { element } from './dom.ts'
import type { Row } from './rows.ts'

// Twenty thousand rows are too many to draw at once. They are in chunks of a fixed number, which are filled when they come
// near the view. The style sheet has the browser skip those that are far away, and estimates the height of one that was
// never drawn.

const chunkRows = 40

interface ChunkView {
  draw(row: Row): HTMLElement
  /** Called with each chunk that was filled. */
  onFill(chunk: HTMLElement): void
}

interface Chunk {
  readonly node: HTMLElement
  rows: readonly Row[]
  readonly sign: string
}

/** Keeps `list` filled with the rows near the view, and with all of them for printing. */
export function chunkList(list: HTMLElement, view: ChunkView) {
  let rows: readonly Row[] = []
  let chunks: Chunk[] = []
  let positions = new Map<string, number>()
  const byNode = new WeakMap<Element, Chunk>()
  addEventListener('beforeprint', () => chunks.forEach(fill))
  list.addEventListener('contentvisibilityautostatechange', (event) => {
    const chunk = event.target instanceof Element ? byNode.get(event.target) : undefined
    if (chunk !== undefined && 'skipped' in event && !event.skipped) fill(chunk)
  })

  function fill(chunk: Chunk): void {
    if (chunk.node.firstChild !== null) return
    chunk.node.replaceChildren(...chunk.rows.map((row) => view.draw(row)))
    view.onFill(chunk.node)
  }

  function makeChunk(part: readonly Row[], sign: string): Chunk {
    const chunk = { node: element('div', { class: 'chunk' }), rows: part, sign }
    chunk.node.style.setProperty('--rows', String(part.length))
    byNode.set(chunk.node, chunk)
    return chunk
  }

  function show(next: readonly Row[]): void {
    rows = next
    positions = new Map(next.map((row, index) => [row.key, index]))
    const known = new Map(chunks.map((chunk) => [chunk.sign, chunk]))
    chunks = []
    for (let start = 0; start < next.length; start += chunkRows) {
      const part = next.slice(start, start + chunkRows)
      const sign = part.map((row) => row.sign).join(' ')
      const chunk = known.get(sign) ?? makeChunk(part, sign)
      known.delete(sign)
      chunk.rows = part
      chunks.push(chunk)
    }
    for (const { node } of known.values()) node.remove()
    // Nodes that are already in their place do not move: a moved one loses focus and selection.
    let at = list.firstChild
    for (const { node } of chunks) {
      if (node === at) at = node.nextSibling
      else list.insertBefore(node, at)
    }
  }

  function chunkOf(key: string): Chunk | undefined {
    return chunks[Math.floor((positions.get(key) ?? -1) / chunkRows)]
  }

  /** The element of a row if it is drawn. */
  function drawn(key: string): HTMLElement | undefined {
    const child = chunkOf(key)?.node.children[(positions.get(key) ?? 0) % chunkRows]
    return child instanceof HTMLElement ? child : undefined
  }

  return {
    show,
    drawn,
    /** The element of a row, which is drawn if necessary; undefined if there is no such row. */
    reveal(key: string): HTMLElement | undefined {
      const chunk = chunkOf(key)
      if (chunk !== undefined) fill(chunk)
      return drawn(key)
    },
    /** Redraws a row if it is drawn. */
    redraw(key: string): HTMLElement | undefined {
      const old = drawn(key)
      const row = rows[positions.get(key) ?? -1]
      if (old === undefined || row === undefined) return undefined
      const fresh = view.draw(row)
      old.replaceWith(fresh)
      return fresh
    },
    position: (key: string) => positions.get(key),
    /** Position of the row at a height of the window, or of the last one above it. */
    positionAt(y: number): number {
      const nodes = [...list.querySelectorAll<HTMLElement>('.row')]
      const above = nodes.findLast((node) => node.getBoundingClientRect().top <= y)
      return positions.get(above?.dataset.key ?? '') ?? 0
    },
    get rows() {
      return rows
    },
  }
}
