import { currentOf } from '../report/limits.ts'
import { reportBlocks } from '../report/report-blocks.ts'
import { costText, count, number, share, totalSentences } from '../report/report-figures.ts'
import type { BundleReport } from '../report/report-schema.ts'
import { blocksToHtml } from './blocks-to-html.ts'
import { bundleTable } from './bundle-table.ts'
import { escapeHtml, htmlPage } from './html-page.ts'
import { pageScript } from './page-assets.ts'
import { drawFigures, figureHtml, formatsOf } from './plots.ts'

/**
 * The report as one HTML file, with plots and a sortable, filterable table whose rows link to their sessions' pages. It
 * loads nothing, and its policy allows only its own script and style.
 */
export function reportToHtml(report: BundleReport): string {
  const [breaches, failures, ...tables] = reportBlocks(report)
  const sentences = totalSentences(report).map((text) => `<p class="about">${escapeHtml(text)}</p>`)
  return htmlPage(
    'Tenfold report',
    `<header><h1>Tenfold report</h1>${sentences.join('')}</header>
<main>
${cards(report)}
${blocksToHtml([breaches, failures].flatMap((block) => block ?? []))}
<div class="plots">${drawFigures(report).map(figureHtml).join('')}</div>
${legend(report)}
${blocksToHtml(tables)}
<h2 id="bundles-title">Bundles</h2>
${bundleTable(report)}
</main>`,
    pageScript(),
  )
}

function cards({ totals, failures }: BundleReport): string {
  const { all, work, small, whole, costs, precision, faithfulness } = totals
  const kept = ['Kept whole', count(whole.bundles), `${count(whole.bundleTokens)} tokens`] as const
  const ofWork = `${number(work.bundles, 'session')}, ${count(work.sourceTokens)} tokens`
  const entries: (readonly [name: string, value: string, about: string])[] = [
    ['Ratio of real work', share(work.ratio), ofWork],
    ['All sessions', share(all.ratio), `${count(all.sourceTokens)} → ${count(all.bundleTokens)} tokens`],
    ['Small sessions', count(small.bundles), `${share(small.ratio)}, ${count(small.added)} tokens added`],
    ...(whole.bundles > 0 ? [kept] : []),
    ['Retention', share(work.retention), `of real work; ${share(small.retention)} of small sessions`],
    ['Precision', share(precision), 'files, commands and quotes that the logs have'],
    ['Faithfulness', share(faithfulness), 'names that occur in the log'],
    ['Cost', costText(costs), 'of the summaries'],
    ['Failures', count(failures.length), 'logs or bundles'],
  ]
  const shown = entries.map(
    ([name, value, about]) =>
      `<div><dt>${name}</dt><dd>${escapeHtml(value)}<small>${escapeHtml(about)}</small></dd></div>`,
  )
  return `<dl class="cards">${shown.join('')}</dl>`
}

/** The legend of the formats' colours. Formats beyond the palette share the last colour. */
function legend({ rows }: BundleReport): string {
  const names = formatsOf(currentOf(rows))
  const items = names.map(
    (name, at) =>
      `<li><svg width="10" height="10" aria-hidden="true"><circle cx="5" cy="5" r="5" fill="var(--series-${Math.min(at, 7)})"/></svg> ${escapeHtml(name)}</li>`,
  )
  return `<ul class="legend" aria-label="Colours of the formats">${items.join('')}</ul>`
}
