import { isGiven, totalShare } from '../report/group-rows.ts'
import { currentOf } from '../report/limits.ts'
import { costText, count, share, wordsOf } from '../report/report-figures.ts'
import type { BundleReport, ReportRow } from '../report/report-schema.ts'
import { shareOf } from '../score.ts'
import { escapeHtml, safeAddress } from './html-page.ts'

/** A cell's HTML, and the `value` to sort by. */
interface Cell {
  readonly html: string
  readonly value?: string | number | undefined
  readonly title?: string
  readonly low?: boolean
}

type Column = readonly [
  title: string,
  className: 'wide' | 'some' | 'number' | '',
  cell: (row: ReportRow) => Cell,
]

const columns: readonly Column[] = [
  ['session', 'wide', sessionCell],
  ['before', 'number', ({ sourceTokens }) => countCell(sourceTokens)],
  ['after', 'number', ({ bundleTokens }) => countCell(bundleTokens)],
  ['ratio', 'number', ratioCell],
  ['retention', 'number', ({ retention }) => shareCell(retention?.share, missedOf(retention?.by))],
  [
    'precision',
    'number',
    ({ precision }) => shareCell(precision && totalShare(precision.by), missedOf(precision?.by)),
  ],
  [
    'faithfulness',
    'number',
    ({ faithfulness }) => shareCell(faithfulness && shareOf(faithfulness), faithfulness?.missed ?? []),
  ],
  [
    'cost',
    'number',
    ({ cost }) =>
      cost === undefined
        ? { html: '–', value: '' }
        : { html: escapeHtml(costText([cost])), value: cost.amount },
  ],
  ['format', '', ({ format }) => textCell(format)],
  ['model', 'some', ({ model }) => textCell(model)],
  ['project', 'some', ({ project }) => textCell(project)],
  ['kind', '', ({ kind }) => textCell(kind)],
  ['ended', '', ({ endedAt = '' }) => textCell(endedAt.slice(0, 16).replace('T', ' '))],
]

/** The table of bundles, with the data attributes by which the page's script filters it. */
export function bundleTable({ rows }: BundleReport): string {
  const current = currentOf(rows)
  const head = columns.map(
    ([title, className]) =>
      `<th scope="col"${classOf(className)}><button type="button">${title}</button></th>`,
  )
  const sorted = current.toSorted((a, b) => b.sourceTokens - a.sourceTokens)
  const select = (name: keyof ReportRow, label: string) => {
    const values = [...new Set(current.map((row) => String(row[name])))].sort()
    const options = values.map((value) => `<option>${escapeHtml(value)}</option>`)
    return `<select name="${name}" aria-label="${label}"><option value="">${label}: all</option>${options.join('')}</select>`
  }
  const filters = `<div class="filters" hidden><input id="search" type="search" placeholder="Search" aria-label="Search bundles" autocomplete="off">${select('format', 'Format')}${select('project', 'Project')}${select('kind', 'Kind')}${select('band', 'Size')}<span id="status" class="note" role="status"></span></div>`
  return `${filters}<div class="scroll"><table id="bundles" data-sortable aria-labelledby="bundles-title"><thead><tr>${head.join('')}</tr></thead><tbody>${sorted.map(rowHtml).join('\n')}</tbody></table></div>`
}

function rowHtml(row: ReportRow): string {
  const { bundle, format, project, kind, band } = row
  const data = Object.entries({ format, project, kind, band }).map(
    ([name, value]) => ` data-${name}="${escapeHtml(value)}"`,
  )
  const cells = columns.map(([, className, cell]) => {
    const { html, value, title, low } = cell(row)
    const names = [className, low ? 'low' : ''].filter(Boolean).join(' ')
    const attributes = [
      classOf(names),
      value === undefined ? '' : ` data-value="${escapeHtml(String(value))}"`,
      title === undefined ? '' : ` title="${escapeHtml(title)}"`,
    ]
    return `<td${attributes.join('')}>${html}</td>`
  })
  return `<tr id="b-${escapeHtml(bundle)}"${data.join('')}>${cells.join('')}</tr>`
}

function classOf(names: string): string {
  return names === '' ? '' : ` class="${names}"`
}

function sessionCell({ title, log, page, fallback, unverified, measuredFrom, unmeasured }: ReportRow): Cell {
  const name = escapeHtml(title ?? log)
  const address = page === undefined ? undefined : safeAddress(page)
  const linked = address === undefined ? name : `<a href="${escapeHtml(address)}">${name}</a>`
  const about = [
    ...(title === undefined ? [] : [log]),
    ...(measuredFrom === 'bundle' ? [`not measured: ${unmeasured ?? 'its log is not here'}`] : []),
    ...(fallback === undefined ? [] : [`fallback: ${fallback}`]),
    ...(unverified === 0 ? [] : [`${unverified} unverified`]),
  ]
  return { html: `${linked}<small>${escapeHtml(about.join(' · '))}</small>`, value: title ?? log }
}

function ratioCell(row: ReportRow): Cell {
  const { ratio, band } = row
  if (isGiven(row)) return { html: '–' }
  const words = { within: '', below: '', small: 'small', verbatim: 'whole' }
  return { html: `${share(ratio)}<small>${words[band]}</small>`, value: ratio }
}

function shareCell(value: number | undefined, missed: readonly string[]): Cell {
  const low = value !== undefined && value < 0.8
  const title = missed.length === 0 ? {} : { title: `missed:\n${missed.join('\n')}` }
  return { html: share(value), value: value ?? '', low, ...title }
}

function missedOf(by: NonNullable<ReportRow['retention']>['by'] = {}): string[] {
  return Object.entries(by).flatMap(([name, { missed }]) => missed.map((text) => `${wordsOf(name)}: ${text}`))
}

function textCell(text: string): Cell {
  return { html: escapeHtml(text) }
}

function countCell(value: number): Cell {
  return { html: count(value), value }
}
