import { append, button, byId, type Child, element } from './dom.ts'
import { count, fullTime, numberOf, percent } from './format.ts'
import { withCode } from './markdown.ts'
import type { Model, Statement } from './model.ts'
import type { PageBundle } from './page-data.ts'

interface PanelActions {
  pick(statement: number): void
  goTo(index: number): void
}

export function createBundlePanel({ pick, goTo }: PanelActions) {
  const panel = byId('bundle-body')
  let nodes: HTMLElement[] = []
  let current: HTMLElement | undefined
  let model: Model | undefined

  function draw(next: Model): void {
    model = next
    nodes = []
    current = undefined
    const { bundle } = next.data
    panel.replaceChildren()
    if (bundle === undefined) {
      panel.append(element('p', { class: 'empty' }, 'No bundle of this log. Make one with tenfold compress.'))
      return
    }
    panel.append(...bundleHead(bundle, next))
    for (const { title, folded } of bundle.sections) {
      const statements = next.statements.filter(({ section }) => section === title)
      const name = element('h3', {}, title)
      const size = element('span', { class: 'count' }, count(statements.length))
      const head = element('summary', {}, name, size)
      panel.append(
        element('details', { open: !folded }, head, element('ul', {}, ...statements.map(statementItem))),
      )
    }
  }

  function statementItem(statement: Statement): HTMLElement {
    const { number, text, details, evidence, tone, unverified } = statement
    const cited = evidence.length > 0
    const body = [element('span', { class: 'text' }, ...withCode(text)), ...details.map(detail)]
    const main = cited
      ? button({ class: 'statement', 'aria-pressed': 'false' }, () => pick(number), ...body)
      : element('div', { class: 'statement plain' }, ...body)
    const item = element('li', { class: tone }, main)
    append(
      item,
      unverified && element('span', { class: 'badge warn', title: 'Not found in the log' }, 'unverified'),
    )
    if (cited) item.append(element('div', { class: 'chips' }, ...chips(statement)))
    nodes[number] = item
    return item
  }

  function chips({ number, evidence }: Statement): HTMLElement[] {
    return evidence.map((index) => {
      const id = model?.data.events[index]?.id
      const title = id === undefined ? 'not in this log' : `Go to ${id}`
      return button(
        { class: 'chip', title, disabled: id === undefined, 'data-event': index },
        () => {
          pick(number)
          goTo(index)
        },
        id ?? '?',
      )
    })
  }

  /** Shows which statement is selected, and which of its events is in view. */
  function mark(statement: Statement | undefined, event: number | undefined): void {
    current?.classList.remove('picked')
    current?.querySelector('.statement')?.setAttribute('aria-pressed', 'false')
    const next = statement === undefined ? undefined : nodes[statement.number]
    current = next
    if (next === undefined) return
    next.classList.add('picked')
    next.querySelector('.statement')?.setAttribute('aria-pressed', 'true')
    for (const chip of next.querySelectorAll('.chip'))
      chip.classList.toggle('current', chip.getAttribute('data-event') === String(event))
    const section = next.closest('details')
    if (section !== null) section.open = true
    next.scrollIntoView({ block: 'nearest' })
  }

  return { draw, mark }
}

function detail([label, value]: readonly [string, string]): Child {
  return element(
    'span',
    { class: `detail ${label}` },
    element('span', { class: 'label' }, `${label}:`),
    ' ',
    ...withCode(value),
  )
}

const origins = { store: 'stored', file: 'from a file', made: 'made now, offline; not saved' }

function bundleHead(bundle: PageBundle, { kept, data }: Model): HTMLElement[] {
  const { ratio, sourceTokens, bundleTokens, band, state, kind, track, created, from, summarizer, events } =
    bundle
  const grown = data.events.length - events
  const facts = [
    ...(state === undefined ? [] : [`the session is ${state.replaceAll('-', ' ')}`]),
    `${count(sourceTokens)} → ${count(bundleTokens)} tokens`,
    `${numberOf(kept.size, 'event')} of ${count(data.events.length)} kept in the trail`,
    `${kind} on ${track}, ${origins[from]}`,
    `${fullTime(created)}, by ${summarizer}`,
    ...(band === 'small' ? ['too small for the ratio'] : []),
    ...(grown > 0 ? [`${numberOf(grown, 'event')} added since`] : []),
  ]
  return [
    element('div', { class: 'ratio' }, element('strong', {}, percent(ratio)), ' of the log’s tokens'),
    element('ul', { class: 'bundle-facts' }, ...facts.map((fact) => element('li', {}, fact))),
  ]
}
