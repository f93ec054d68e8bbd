import * as Plot from '@observablehq/plot'
import { parseHTML } from 'linkedom'
import type { HistoryPart } from '../history/history.ts'
import { currentOf } from '../report/limits.ts'
import { costText, count, share, wordsOf } from '../report/report-figures.ts'
import type { BundleReport, ReportRow } from '../report/report-schema.ts'
import { escapeHtml, safeAddress } from './html-page.ts'

/** A plot with its title. `empty` is the reason if there is no plot. */
interface Figure {
  readonly title: string
  readonly about: string
  readonly svg?: string
  readonly empty?: string
}

const width = 560
const height = 340
/** CSS variables, because the page has a light and a dark palette. */
const colours = Array.from({ length: 8 }, (_, at) => `var(--series-${at})`)
const band = { low: 0.05, high: 0.1 }
/** Smallest value to draw, because a logarithmic axis cannot show zero. */
const least = 1

/** Draws a report's ratios, sizes, retention, precision and cost over time. */
export function drawFigures(report: BundleReport): Figure[] {
  const rows = currentOf(report.rows)
  const visible = rows.filter(({ sourceTokens, bundleTokens }) => sourceTokens > 0 && bundleTokens > 0)
  return [
    ratios(visible),
    sizes(visible),
    kept(
      'What the bundles name',
      'Retention: files, commands, errors and rare words of the sessions that their bundles name. The paler bars are of small sessions.',
      report.retention,
    ),
    kept(
      'What the logs have',
      'Precision: files, commands, errors, quotes and event ids of the bundles that are in their logs.',
      report.precision,
    ),
    ...costs(report.rows),
  ]
}

/** HTML of a figure with its caption. */
export function figureHtml({ title, about, svg, empty }: Figure): string {
  const body =
    svg === undefined
      ? `<p class="empty">${escapeHtml(empty ?? '')}</p>`
      : `<div class="drawing">${svg}</div>`
  return `<figure><figcaption><strong>${escapeHtml(title)}</strong><span>${escapeHtml(about)}</span></figcaption>${body}</figure>`
}

/** Draws the cost and number of sessions for each week of a history. */
export function drawWeeks(weeks: readonly HistoryPart[]): string {
  const currency = weeks.flatMap(({ costs }) => costs)[0]?.currency
  const draw = (title: string, about: string, label: string, y: (week: HistoryPart) => number): Figure => {
    const x = ({ name }: HistoryPart) => new Date(`${name}T00:00:00Z`)
    const svg = drawPlot({
      x: { type: 'utc', label: null },
      y: { label, grid: true, tickFormat: '~s' },
      marks: [Plot.rectY(weeks, { x, y, interval: 'monday', fill: 'var(--series-0)', inset: 1 }), zeroY],
    })
    return { title, about, svg }
  }
  const billed =
    currency === undefined
      ? draw(
          'Billed tokens by week',
          'Of the agents’ models; none of them has a price.',
          'tokens',
          ({ billedTokens }) => billedTokens,
        )
      : draw(
          'Cost by week',
          'Of the agents’ models, by the price table.',
          currency,
          ({ costs }) => costs[0]?.amount ?? 0,
        )
  const about = 'By the week in which they ended.'
  const sessions = draw('Sessions by week', about, 'sessions', (week) => week.sessions)
  return [billed, sessions].map(figureHtml).join('')
}

const zeroY = Plot.ruleY([0], { stroke: 'var(--strong-line)' })

/** The smallest and largest session size, for a logarithmic axis. */
function rangeOf(rows: readonly ReportRow[]): readonly [number, number] {
  const sizes = rows.map(({ sourceTokens }) => Math.max(least, sourceTokens))
  return [Math.min(...sizes), Math.max(...sizes, 10)]
}

/** Draws a dot for each session by its tokens, then other marks. */
function scatter(
  { title, about }: Pick<Figure, 'title' | 'about'>,
  rows: readonly ReportRow[],
  y: Plot.ScaleOptions,
  heightOf: (row: ReportRow) => number,
  marks: (range: readonly [number, number]) => Plot.Markish[],
): Figure {
  if (rows.length === 0) return { title, about, empty: 'There is no bundle.' }
  const svg = drawPlot({
    x: { type: 'log', label: 'tokens of the session', tickFormat: '~s', grid: true },
    y: { type: 'log', grid: true, ...y },
    color: formatScale(rows),
    marks: [...marks(rangeOf(rows)), ...dots(rows, heightOf)],
  })
  return { title, about, svg }
}

function ratios(rows: readonly ReportRow[]): Figure {
  const about =
    'Each dot is a session: its tokens, and the share of them that its bundle takes. The band is 5–10 %; small sessions, which have a limit of their own, are hollow.'
  return scatter(
    { title: 'Ratio against the band', about },
    rows,
    { label: 'ratio', tickFormat: percentTick, ticks: 4 },
    ({ ratio }) => Math.max(ratio, 0.001),
    ([x1, x2]) => [
      Plot.rect([band], { x1, x2, y1: 'low', y2: 'high', fill: 'var(--band)' }),
      Plot.ruleY([band.high], { stroke: 'var(--band-line)' }),
    ],
  )
}

function sizes(rows: readonly ReportRow[]): Figure {
  return scatter(
    {
      title: 'Tokens before and after',
      about: 'Lines: the size of the session, a tenth and a twentieth of it.',
    },
    rows,
    { label: 'tokens after', tickFormat: '~s' },
    ({ bundleTokens }) => Math.max(least, bundleTokens),
    (ends) => {
      const lines = [1, band.high, band.low].flatMap((part) =>
        ends.map((before) => ({ part: `${part * 100} %`, before, after: Math.max(least, before * part) })),
      )
      const place = { x: 'before', y: 'after' }
      const labels = lines.filter(({ before }) => before === ends[1])
      return [
        Plot.line(lines, { ...place, z: 'part', stroke: 'var(--band-line)', strokeDasharray: '3,3' }),
        Plot.text(labels, { ...place, text: 'part', textAnchor: 'end', dy: -6, fill: 'var(--muted)' }),
      ]
    },
  )
}

function kept(title: string, about: string, { work, small }: BundleReport['retention']): Figure {
  const bars = Object.entries({ work, small }).flatMap(([size, sums]) =>
    Object.entries(sums).flatMap(([name, { kept: held, of }]) =>
      of === 0
        ? []
        : [{ size, name: wordsOf(name), share: held / of, text: `${share(held / of)} of ${count(of)}` }],
    ),
  )
  if (bars.length === 0) return { title, about, empty: 'No bundle was measured: their logs are not here.' }
  const at = { y: 'size', fy: 'name' }
  const svg = drawPlot({
    marginLeft: 132,
    marginRight: 108,
    x: { domain: [0, 1], label: 'share', tickFormat: percentTick },
    y: { label: null, axis: null, domain: ['work', 'small'] },
    fy: { label: null, domain: [...new Set(bars.map(({ name }) => name))], axis: 'left', padding: 0.18 },
    color: { domain: ['work', 'small'], range: ['var(--series-0)', 'var(--pale)'] },
    marks: [
      Plot.barX(bars, { ...at, x: 'share', fill: 'size', title: 'text' }),
      Plot.text(bars, { ...at, x: 1, text: 'text', textAnchor: 'start', dx: 6, fill: 'var(--muted)' }),
      Plot.ruleX([0], { stroke: 'var(--strong-line)' }),
    ],
  })
  return { title, about, svg }
}

/** Draws the cost over time, unless no model was paid. */
function costs(rows: readonly ReportRow[]): Figure[] {
  const title = 'Cost over time'
  const about = 'What the models that wrote the summaries cost, by the day that the session ended.'
  const paid = rows.flatMap(({ cost, endedAt, summarizer }) =>
    cost === undefined || endedAt === undefined
      ? []
      : [{ day: new Date(`${endedAt.slice(0, 10)}T00:00:00Z`), summarizer, ...cost }],
  )
  if (paid.length === 0) return []
  const currency = paid[0]?.currency ?? ''
  const same = paid.filter((each) => each.currency === currency)
  const names = [...new Set(same.map(({ summarizer }) => summarizer))].sort()
  const svg = drawPlot({
    x: { type: 'utc', label: null },
    y: { label: currency, grid: true },
    color: { domain: names, range: colours.slice(0, names.length) },
    marks: [
      Plot.rectY(byDay(same), {
        x: 'day',
        y: 'amount',
        fill: 'summarizer',
        interval: 'day',
        title: ({ day, amount, summarizer }: DayCost) =>
          `${day.toISOString().slice(0, 10)} ${summarizer}: ${costText([{ amount, currency }])}`,
      }),
      zeroY,
    ],
  })
  return [{ title, about: `${about} ${names.join(', ')}.`, svg }]
}

interface DayCost {
  readonly day: Date
  readonly summarizer: string
  readonly amount: number
}

function byDay(paid: readonly DayCost[]): DayCost[] {
  const sums = new Map<string, DayCost>()
  for (const each of paid) {
    const key = JSON.stringify([each.day, each.summarizer])
    sums.set(key, { ...each, amount: each.amount + (sums.get(key)?.amount ?? 0) })
  }
  return [...sums.values()].sort((a, b) => a.day.getTime() - b.day.getTime())
}

function dots(rows: readonly ReportRow[], heightOf: (row: ReportRow) => number): Plot.Markish[] {
  const options = {
    x: ({ sourceTokens }: ReportRow) => Math.max(least, sourceTokens),
    y: heightOf,
    title: (row: ReportRow) =>
      `${row.title ?? row.log}\n${row.format}: ${count(row.sourceTokens)} → ${count(row.bundleTokens)} tokens (${share(row.ratio)})`,
    href: (row: ReportRow) => (row.page && safeAddress(row.page)) ?? `#b-${row.bundle}`,
    r: 3.5,
  }
  const [small, work] = [rows.filter(isSmall), rows.filter((row) => !isSmall(row))]
  return [
    Plot.dot(small, { ...options, stroke: 'format', strokeOpacity: 0.8 }),
    Plot.dot(work, {
      ...options,
      fill: 'format',
      fillOpacity: 0.75,
      stroke: 'var(--surface)',
      strokeWidth: 0.5,
    }),
  ]
}

function isSmall({ band: size }: ReportRow): boolean {
  return size === 'small'
}

/** Colours of the report's formats in the order of its table. Formats beyond the palette share the last colour. */
function formatScale(rows: readonly ReportRow[]): Plot.ScaleOptions {
  const domain = formatsOf(rows)
  return { type: 'ordinal', domain, range: domain.map((_, at) => colours[Math.min(at, colours.length - 1)]) }
}

/** The formats, most frequent first. */
export function formatsOf(rows: readonly ReportRow[]): string[] {
  const counts = new Map<string, number>()
  for (const { format } of rows) counts.set(format, (counts.get(format) ?? 0) + 1)
  return [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).map(([format]) => format)
}

function percentTick(value: number): string {
  return `${Number((value * 100).toPrecision(3))} %`
}

function drawPlot(options: Plot.PlotOptions): string {
  const { document } = parseHTML('<!doctype html><html><body></body></html>')
  const svg = Plot.plot({
    width,
    height,
    marginLeft: 56,
    marginBottom: 36,
    className: 'plot',
    ...options,
    document,
  })
  // The page's policy allows only its own style sheet, which has these rules.
  for (const style of svg.querySelectorAll('style')) style.remove()
  return svg.outerHTML
}
