import {
  costText,
  count,
  groupCells,
  groupHead,
  number,
  share,
  totalSentences,
} from '../report/report-figures.ts'
import { type BundleReport, groupKeys } from '../report/report-schema.ts'
import { bundleTable } from './bundle-table.ts'
import { escapeHtml, htmlPage } from './html-page.ts'
import { pageScript } from './page-assets.ts'
import { drawFigures, figureHtml, formatsOf } from './plots.ts'

/**
 * The report as one HTML file: plots, and a table to sort and filter whose rows link to the pages of their sessions. It
 * loads nothing, and its policy allows only its own script and style.
 */
export function reportToHtml(report: BundleReport): string {
  return htmlPage(
    'Tenfold report',
    `<header><h1>Tenfold report</h1>${totalSentences(report)
      .map((text) => `<p class="about">${escapeHtml(text)}</p>`)
      .join('')}</header>
<main>
${cards(report)}
${list(
  'breaches',
  report.breaches.length === 1 ? '1 limit is not kept' : `${report.breaches.length} limits are not kept`,
  report.breaches.map(({ message }) => message),
)}
${list(
  'failures',
  number(report.failures.length, 'failure'),
  report.failures.map(({ log, message }) => (message.includes(log) ? message : `${log}: ${message}`)),
)}
<div class="plots">${drawFigures(report).map(figureHtml).join('')}</div>
${legend(report)}
${groupTables(report)}
<h2 id="bundles-title">Bundles</h2>
${bundleTable(report)}
</main>`,
    pageScript(),
  )
}

function cards({ totals, failures }: BundleReport): string {
  const { all, work, small, whole, costs } = totals
  const entries: [string, string, string][] = [
    [
      'Ratio of real work',
      share(work.ratio),
      `${number(work.bundles, 'session')}, ${count(work.sourceTokens)} tokens`,
    ],
    ['All sessions', share(all.ratio), `${count(all.sourceTokens)} → ${count(all.bundleTokens)} tokens`],
    ['Small sessions', count(small.bundles), `${share(small.ratio)}, ${count(small.added)} tokens added`],
    ...(whole.bundles > 0
      ? [
          ['Kept whole', count(whole.bundles), `${count(whole.bundleTokens)} tokens`] as [
            string,
            string,
            string,
          ],
        ]
      : []),
    ['Retention', share(work.retention), `of real work; ${share(small.retention)} of small sessions`],
    ['Precision', share(totals.precision), 'files, commands and quotes that the logs have'],
    ['Faithfulness', share(totals.faithfulness), 'names that occur in the log'],
    ['Cost', costText(costs), 'of the summaries'],
    ['Failures', count(failures.length), 'logs or bundles'],
  ]
  const shown = entries.map(
    ([name, value, about]) =>
      `<div><dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)}<small>${escapeHtml(about)}</small></dd></div>`,
  )
  return `<dl class="cards">${shown.join('')}</dl>`
}

const mostListed = 200

function list(name: string, title: string, items: readonly string[]): string {
  if (items.length === 0) return ''
  const shown = items.slice(0, mostListed).map((item) => `<li>${escapeHtml(item)}</li>`)
  const more = items.length > mostListed ? `<li>… and ${items.length - mostListed} more</li>` : ''
  return `<section class="${name}"><h2>${escapeHtml(title)}</h2><ul>${shown.join('')}${more}</ul></section>`
}

/** The colours of the formats; those beyond the palette share the last one. */
function legend({ rows }: BundleReport): string {
  const names = formatsOf(rows.filter(({ superseded }) => superseded === undefined))
  const items = names.map((name, at) => `<li class="s${Math.min(at, 7)}"><i></i>${escapeHtml(name)}</li>`)
  return `<ul class="legend" aria-label="Colours of the formats">${items.join('')}</ul>`
}

function groupTables({ groups }: BundleReport): string {
  const tables = groupKeys.map((key) => {
    const rows = groups[key].map(
      (group) =>
        `<tr><td class="wide">${escapeHtml(group.name)}</td>${groupCells(group)
          .map((cell) => `<td class="number">${escapeHtml(cell)}</td>`)
          .join('')}</tr>`,
    )
    const head = [key, ...groupHead].map(
      (name, at) => `<th${at > 0 ? ' class="number"' : ''} scope="col">${name}</th>`,
    )
    const table = `<div class="scroll"><table><thead><tr>${head.join('')}</tr></thead><tbody>${rows.join('')}</tbody></table></div>`
    return `<details${key === 'format' ? ' open' : ''}><summary>By ${key} (${count(groups[key].length)})</summary>${table}</details>`
  })
  return `<section aria-label="Groups">${tables.join('')}</section>`
}
