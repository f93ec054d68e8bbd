// The table of a page, such as an index of sessions: its rows are in the page already, and are hidden, shown and ordered
// here. A cell may have another value to sort by than its text, a row more words to search in.

const day = 24 * 60 * 60 * 1000

function run(table: HTMLTableElement, body: HTMLTableSectionElement): void {
  const rows = [...body.rows].map((node) => ({
    node,
    text: `${node.textContent} ${node.dataset.words ?? ''}`.toLowerCase(),
  }))
  const search = document.querySelector<HTMLInputElement>('#search')
  const selects = [...document.querySelectorAll<HTMLSelectElement>('.filters select')]

  function filter(): void {
    const words = (search?.value ?? '').toLowerCase().split(/\s+/)
    let shown = 0
    for (const { node, text } of rows) {
      node.hidden = !words.every((word) => text.includes(word)) || !selects.every((each) => fits(each, node))
      if (!node.hidden) shown += 1
    }
    const status = document.querySelector('#status')
    if (status !== null) status.textContent = shown === rows.length ? '' : `${shown} of ${rows.length}`
    document.querySelector('#nothing')?.toggleAttribute('hidden', shown > 0)
  }

  const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' })
  const heads = [...table.querySelectorAll<HTMLTableCellElement>('thead th')]
  for (const [column, head] of heads.entries())
    head.querySelector('button')?.addEventListener('click', () => {
      const keyed = rows.map(({ node }) => {
        const cell = node.cells[column]
        return { node, key: cell?.dataset.value ?? cell?.textContent ?? '' }
      })
      const isText = keyed.some(({ key }) => Number.isNaN(Number(key)))
      const before = head.getAttribute('aria-sort')
      const ascends = before === null ? isText : before !== 'ascending'
      for (const other of heads) other.removeAttribute('aria-sort')
      head.setAttribute('aria-sort', ascends ? 'ascending' : 'descending')
      keyed.sort((a, b) => {
        // What has no value comes last in both directions.
        if (a.key === '' || b.key === '') return Number(a.key === '') - Number(b.key === '')
        const difference = isText ? collator.compare(a.key, b.key) : Number(a.key) - Number(b.key)
        return ascends ? difference : -difference
      })
      body.append(...keyed.map(({ node }) => node))
    })

  for (const field of [search, ...selects]) field?.addEventListener('input', filter)
  const format = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' })
  for (const node of document.querySelectorAll('time'))
    node.textContent = format.format(new Date(node.dateTime))
  addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.target === search || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    search?.focus()
  })
  for (const hidden of document.querySelectorAll('.filters[hidden]')) hidden.removeAttribute('hidden')
  // A browser keeps what was chosen when the page is loaded again.
  filter()
  document.documentElement.setAttribute('data-ready', 'true')
}

/** Whether a row has the value of a choice, is at most that many days old, or in a range such as `0.05-0.1`. */
function fits({ value, name, dataset }: HTMLSelectElement, row: HTMLTableRowElement): boolean {
  const own = row.dataset[name] ?? ''
  if (value === '' || value === own) return true
  if (dataset.test === 'days') return Number(own) >= Date.now() - Number(value) * day
  if (dataset.test !== 'range' || own === '') return dataset.test === 'range' && value === 'none'
  const [from, to] = value.split('-').map(Number)
  return value !== 'none' && Number(own) >= (from ?? 0) && (!to || Number(own) < to)
}

const table = document.querySelector<HTMLTableElement>('table[data-sortable]')
const body = table?.tBodies[0]
if (table && body) run(table, body)
