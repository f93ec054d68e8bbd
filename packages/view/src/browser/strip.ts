import { byId } from './dom.ts'
import { isFailure, type Model } from './model.ts'

// The whole session as one strip: each column is a stretch of events in the order of the timeline, its height their
// tokens. User messages, failures, compactions and what the bundle kept are marked, and a click goes there.

const step = 3
/** What a column shows, and the colour of the style sheet for it. */
const colours = {
  user: 'accent',
  text: 'muted',
  tool: 'strong-line',
  quiet: 'heat-0',
  bad: 'bad',
  warn: 'evidence-line',
  kept: 'kept',
} as const
type Colour = keyof typeof colours

interface Column {
  tokens: number
  words: number
  tools: number
  user: boolean
  replayed: boolean
  failed: boolean
  compacted: boolean
  kept: boolean
}

export interface Strip {
  draw(model: Model): void
  /** Shows which events are in view. */
  mark(first: number, last: number): void
}

export function createStrip(go: (index: number) => void): Strip {
  const canvas = byId('strip') as HTMLCanvasElement
  const view = byId('strip-view')
  let model: Model | undefined
  let places = new Map<number, number>()
  canvas.addEventListener('click', ({ offsetX }) => {
    const { order } = model ?? { order: [] }
    const index = order[Math.min(order.length - 1, Math.floor((offsetX / canvas.clientWidth) * order.length))]
    if (index !== undefined) go(index)
  })
  const redraw = (): void => {
    if (model !== undefined) paint(canvas, model)
  }
  new ResizeObserver(redraw).observe(canvas)
  addEventListener('themechange', redraw)
  return {
    draw(next) {
      model = next
      places = new Map(next.order.map((index, place) => [index, place]))
      redraw()
    },
    mark(firstIndex, lastIndex) {
      const total = Math.max(1, model?.order.length ?? 1)
      const [first, last] = [places.get(firstIndex) ?? 0, places.get(lastIndex) ?? 0]
      view.style.left = `${(first / total) * 100}%`
      view.style.width = `${Math.max(0.4, ((last - first + 1) / total) * 100)}%`
    },
  }
}

function paint(canvas: HTMLCanvasElement, model: Model): void {
  const { clientWidth: width, clientHeight: height } = canvas
  const context = canvas.getContext('2d')
  if (context === null || width === 0) return
  const ratio = devicePixelRatio
  canvas.width = width * ratio
  canvas.height = height * ratio
  context.scale(ratio, ratio)
  const found = new Map(Object.entries(colours).map(([name, variable]) => [name, colourIn(canvas, variable)]))
  const fill = (name: Colour, x: number, y: number, w: number, h: number): void => {
    context.fillStyle = found.get(name) ?? ''
    context.fillRect(x, y, w, h)
  }
  const columns = columnsOf(model, Math.max(1, Math.floor(width / step)))
  const most = Math.max(1, ...columns.map(({ tokens }) => tokens))
  const wide = width / columns.length
  const base = height - 5
  for (const [index, column] of columns.entries()) {
    const x = index * wide
    const bar =
      column.tokens === 0
        ? 0
        : Math.max(1, (Math.log2(1 + column.tokens / 30) / Math.log2(1 + most / 30)) * (base - 5))
    fill(colourOf(column), x, base - bar, Math.max(1, wide - 1), bar)
    if (column.user && !column.replayed)
      fill('user', x, base - bar, Math.max(1.5, wide - 1), Math.max(3, bar))
    if (column.failed && !column.replayed) fill('bad', x, 0, Math.max(1.5, wide - 1), 3)
    if (column.compacted) fill('warn', x, 0, 1.5, base)
    if (column.kept) fill('kept', x, height - 3, wide, 2)
  }
}

/** A colour of the style sheet as a canvas takes it: a variable may hold one for each theme. */
function colourIn(canvas: HTMLCanvasElement, variable: string): string {
  canvas.style.color = `var(--${variable})`
  return getComputedStyle(canvas).color
}

/** The colour of a column's bar: what most of its tokens are. */
function colourOf({ replayed, tools, words }: Column): Colour {
  if (replayed) return 'quiet'
  if (tools > words) return 'tool'
  return words > 0 ? 'text' : 'quiet'
}

function columnsOf({ data, order, kept }: Model, limit: number): Column[] {
  const size = Math.min(limit, Math.max(1, order.length))
  const columns = Array.from({ length: size }, (): Column => {
    const marks = { user: false, replayed: false, failed: false, compacted: false, kept: false }
    return { tokens: 0, words: 0, tools: 0, ...marks }
  })
  for (const [place, index] of order.entries()) {
    const event = data.events[index]
    const column = columns[Math.floor((place / order.length) * size)]
    if (event === undefined || column === undefined) continue
    column.tokens += event.tokens
    if (event.type === 'tool_call' || event.type === 'tool_result') column.tools += event.tokens
    else if (event.type === 'assistant' || event.type === 'reasoning') column.words += event.tokens
    column.user ||= event.type === 'user'
    column.replayed ||= event.replayed === true
    column.failed ||= isFailure(event)
    column.compacted ||= event.type === 'compaction'
    column.kept ||= kept.has(index)
  }
  return columns
}
