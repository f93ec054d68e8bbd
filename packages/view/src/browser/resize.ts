import { byId } from './dom.ts'
import { recall, remember } from './theme.ts'

interface Edge {
  /** The panel, and the name of its width in the style sheet. */
  readonly panel: 'outline' | 'bundle'
  /** Whether the panel grows as the pointer moves to the right. */
  readonly grows: 1 | -1
  readonly initial: number
}

const edges: readonly Edge[] = [
  { panel: 'outline', grows: 1, initial: 270 },
  { panel: 'bundle', grows: -1, initial: 360 },
]
/** Widths of a panel in pixels, and how far an arrow key moves its edge. */
const least = 160
const most = 720
const step = 24

/** Lets the edges of the side panels be moved by pointer and by arrow keys; the widths are remembered. */
export function makeResizable(): void {
  for (const edge of edges) wireEdge(edge)
}

function wireEdge({ panel, grows, initial }: Edge): void {
  const handle = byId(`${panel}-edge`)
  let width = initial
  const apply = (next: number): void => {
    width = Math.round(Math.min(most, Math.max(least, next)))
    document.body.style.setProperty(`--${panel}-width`, `${width}px`)
    handle.setAttribute('aria-valuenow', String(width))
  }
  const keep = (): void => remember(`${panel}-width`, String(width))
  apply(Number(recall(`${panel}-width`) ?? initial) || initial)

  handle.addEventListener('pointerdown', (down) => {
    const [from, start] = [down.clientX, width]
    handle.setPointerCapture(down.pointerId)
    const move = ({ clientX }: PointerEvent): void => apply(start + (clientX - from) * grows)
    handle.addEventListener('pointermove', move)
    handle.addEventListener(
      'lostpointercapture',
      () => {
        handle.removeEventListener('pointermove', move)
        keep()
      },
      { once: true },
    )
  })
  handle.addEventListener('dblclick', () => {
    apply(initial)
    keep()
  })
  handle.addEventListener('keydown', (event) => {
    const by = { ArrowLeft: -step, ArrowRight: step }[event.key]
    if (by === undefined) return
    event.preventDefault()
    apply(width + by * grows)
    keep()
  })
}
