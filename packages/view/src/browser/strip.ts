import { byId, element } from './dom.ts'
import { isFailure, type Model } from './model.ts'

// The whole session as one strip: each column is a stretch of events in the order of the timeline, its height their
// tokens. User messages, failures, compactions and what the bundle kept are marked, and a click goes there.

const maxColumns = 400

export interface Strip {
  draw(model: Model): void
  /** Shows which events are in view. */
  mark(first: number, last: number): void
}

export function createStrip(go: (index: number) => void): Strip {
  const strip = byId('strip')
  const view = byId('strip-view')
  let order: readonly number[] = []
  let places = new Map<number, number>()
  strip.addEventListener('click', ({ clientX }) => {
    const { left, width } = strip.getBoundingClientRect()
    const index = order[Math.floor(((clientX - left) / width) * order.length)]
    if (index !== undefined) go(index)
  })
  return {
    draw(model) {
      order = model.order
      places = new Map(order.map((index, place) => [index, place]))
      strip.replaceChildren(...columnsOf(model))
    },
    mark(firstIndex, lastIndex) {
      const total = Math.max(1, order.length)
      const [first, last] = [places.get(firstIndex) ?? 0, places.get(lastIndex) ?? 0]
      view.style.left = `${(first / total) * 100}%`
      view.style.width = `${Math.max(0.4, ((last - first + 1) / total) * 100)}%`
    },
  }
}

function columnsOf({ data, order, kept }: Model): HTMLElement[] {
  const size = Math.min(maxColumns, order.length)
  const columns = Array.from({ length: size }, () => ({
    tokens: 0,
    words: 0,
    tools: 0,
    marks: new Set<string>(),
  }))
  for (const [place, index] of order.entries()) {
    const event = data.events[index]
    const column = columns[Math.floor((place / order.length) * size)]
    if (event === undefined || column === undefined) continue
    const { type, tokens, replayed } = event
    column.tokens += tokens
    if (type === 'tool_call' || type === 'tool_result') column.tools += tokens
    else if (type === 'assistant' || type === 'reasoning') column.words += tokens
    if (kept.has(index)) column.marks.add('kept')
    if (type === 'compaction') column.marks.add('compacted')
    if (replayed) column.marks.add('replayed')
    else if (type === 'user') column.marks.add('user')
    else if (isFailure(event)) column.marks.add('failed')
  }
  const most = Math.max(1, ...columns.map(({ tokens }) => tokens))
  return columns.map(({ tokens, words, tools, marks }) => {
    const bar = element('i')
    const style = (name: string, value: string): void => bar.style.setProperty(name, value)
    // What most of its tokens are.
    const main = tools > words ? 'strong-line' : words > 0 ? 'muted' : 'heat-0'
    style('--bar', `var(--${marks.has('replayed') ? 'heat-0' : marks.has('user') ? 'accent' : main})`)
    style('--share', (Math.log2(1 + tokens / 30) / Math.log2(1 + most / 30)).toFixed(3))
    if (marks.has('failed')) style('--top', 'var(--bad)')
    if (marks.has('kept')) style('--low', 'var(--kept)')
    if (marks.has('compacted')) style('--edge', 'var(--evidence-line)')
    return bar
  })
}
