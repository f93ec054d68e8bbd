// Sorts and filters the table of bundles. All text is in the page already.

const table = document.querySelector<HTMLTableElement>('#bundles')
const body = table?.tBodies[0]
if (table !== null && body !== undefined) run(table, body)

function run(sorted: HTMLTableElement, rows: HTMLTableSectionElement): void {
  const all = [...rows.rows]
  const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' })
  const heads = [...sorted.querySelectorAll<HTMLTableCellElement>('thead th')]

  const keyOf = (row: HTMLTableRowElement, column: number): string =>
    row.cells[column]?.dataset.value ?? row.cells[column]?.textContent ?? ''

  for (const [column, head] of heads.entries())
    head.querySelector('button')?.addEventListener('click', () => {
      const direction = head.getAttribute('aria-sort') === 'descending' ? 'ascending' : 'descending'
      for (const other of heads) other.removeAttribute('aria-sort')
      head.setAttribute('aria-sort', direction)
      const sign = direction === 'descending' ? -1 : 1
      const order = all.toSorted((a, b) => {
        const [left, right] = [keyOf(a, column), keyOf(b, column)]
        // What has no value comes last in both directions.
        if (left === '' || right === '') return Number(left === '') - Number(right === '')
        const difference = Number(left) - Number(right)
        return sign * (Number.isNaN(difference) ? collator.compare(left, right) : difference)
      })
      rows.append(...order)
    })

  const search = document.querySelector<HTMLInputElement>('#search')
  const selects = [...document.querySelectorAll<HTMLSelectElement>('.filters select')]
  const shown = document.querySelector('#shown')
  const filter = (): void => {
    const words = (search?.value ?? '').toLowerCase().split(/\s+/).filter(Boolean)
    let count = 0
    for (const row of all) {
      const text = row.textContent.toLowerCase()
      const fits =
        words.every((word) => text.includes(word)) &&
        selects.every(({ value, name }) => value === '' || row.dataset[name] === value)
      row.hidden = !fits
      if (fits) count += 1
    }
    if (shown !== null)
      shown.textContent = `${count.toLocaleString('en-US')} of ${all.length.toLocaleString('en-US')}`
  }
  search?.addEventListener('input', filter)
  for (const select of selects) select.addEventListener('change', filter)
  for (const element of document.querySelectorAll<HTMLElement>('.filters')) element.hidden = false
  filter()
  document.documentElement.dataset.ready = ''
}
