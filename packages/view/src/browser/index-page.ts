// The index of many sessions: its rows are in the page already, and are hidden, shown and ordered here.

function byId<E extends HTMLElement>(id: string): E {
  const found = document.getElementById(id)
  if (found === null) throw new Error(`the page has no #${id}`)
  return found as E
}

const day = 24 * 60 * 60 * 1000

interface Row {
  readonly node: HTMLTableRowElement
  readonly text: string
  readonly data: DOMStringMap
}

function startIndex(): void {
  const body = byId<HTMLTableSectionElement>('sessions')
  const rows: readonly Row[] = [...body.rows].map((node) => ({
    node,
    text: `${node.cells[0]?.textContent ?? ''} ${node.dataset.words ?? ''}`.toLowerCase(),
    data: node.dataset,
  }))
  const search = byId<HTMLInputElement>('search')
  const [project, agent, time, ratio] = ['project', 'agent', 'time', 'ratio'].map((id) =>
    byId<HTMLSelectElement>(id),
  )

  function filter(): void {
    const words = search.value
      .toLowerCase()
      .split(/\s+/)
      .filter((word) => word !== '')
    const since = time?.value ? Date.now() - Number(time.value) * day : 0
    let shown = 0
    for (const { node, text, data } of rows) {
      const fits =
        words.every((word) => text.includes(word)) &&
        (!project?.value || data.project === project.value) &&
        (!agent?.value || data.agent === agent.value) &&
        Number(data.time) >= since &&
        isInRange(data.ratio ?? '', ratio?.value ?? '')
      node.hidden = !fits
      if (fits) shown += 1
    }
    byId('status').textContent = shown === rows.length ? '' : `${shown} of ${rows.length}`
    byId('nothing').hidden = shown > 0
  }

  for (const field of [search, project, agent, time, ratio]) field?.addEventListener('input', filter)
  for (const button of document.querySelectorAll<HTMLButtonElement>('[data-sort]'))
    button.addEventListener('click', () => sort(button))

  function sort(button: HTMLButtonElement): void {
    const key = button.dataset.sort ?? ''
    const head = button.closest('th')
    const before = head?.getAttribute('aria-sort')
    const isText = key === 'title' || key === 'project' || key === 'agent'
    const ascends = before === null ? isText : before !== 'ascending'
    const order = ascends ? 'ascending' : 'descending'
    for (const other of document.querySelectorAll('th[aria-sort]')) other.removeAttribute('aria-sort')
    head?.setAttribute('aria-sort', order)
    const sign = ascends ? 1 : -1
    const textOf = ({ node, data }: Row): string =>
      (key === 'title' ? node.cells[0]?.textContent : data[key])?.toLowerCase() ?? ''
    const numberOf = ({ data }: Row): number => (data[key] ? Number(data[key]) : -1)
    const ordered = rows.toSorted((a, b) =>
      isText ? sign * textOf(a).localeCompare(textOf(b)) : sign * (numberOf(a) - numberOf(b)),
    )
    body.append(...ordered.map(({ node }) => node))
  }

  const format = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' })
  for (const node of document.querySelectorAll('time'))
    node.textContent = format.format(new Date(node.dateTime))
  addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.target === search || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    search.focus()
  })
  // A browser keeps what was chosen when the page is loaded again.
  filter()
  document.documentElement.setAttribute('data-ready', 'true')
}

/** Whether a ratio is in a range such as `0.05-0.1`; `none` is for a session without a bundle. */
function isInRange(ratio: string, range: string): boolean {
  if (range === '') return true
  if (range === 'none' || ratio === '') return range === 'none' && ratio === ''
  const [from, to] = range.split('-').map(Number)
  return Number(ratio) >= (from ?? 0) && (!to || Number(ratio) < to)
}

startIndex()
