import type { History, HistoryPart } from '../history/history.ts'
import { decisionText, historyTitle, openText, partCells, partHead } from '../history/history-figures.ts'
import { count } from '../report/report-figures.ts'
import { escapeHtml, htmlPage } from './html-page.ts'
import { drawWeeks } from './plots.ts'

/** The history as one HTML file without a script. */
export function historyToHtml(history: History): string {
  const { weeks, projects } = history
  const title = historyTitle(history)
  return htmlPage(
    title,
    `<header><h1>${escapeHtml(title)}</h1><p class="about">What sessions cost by a price table, what was decided in them, and what they leave open.</p></header>
<main>
<div class="plots">${drawWeeks(weeks)}</div>
<h2>Weeks</h2>
${table('week of', weeks)}
<h2>Projects</h2>
${table('project', projects)}
${projects.map(project).join('\n')}
</main>`,
  )
}

function table(name: string, parts: readonly HistoryPart[]): string {
  const head = [name, ...partHead].map((title) => `<th scope="col">${title}</th>`).join('')
  const rows = parts.map(
    (part) =>
      `<tr><td class="wide">${escapeHtml(part.name)}</td>${partCells(part)
        .map((cell, at) => `<td${at < 3 ? ' class="number"' : ' class="some"'}>${escapeHtml(cell)}</td>`)
        .join('')}</tr>`,
  )
  return `<div class="scroll"><table><thead><tr>${head}</tr></thead><tbody>${rows.join('')}</tbody></table></div>`
}

function project({ name, decisions, open }: HistoryPart): string {
  if (decisions.length + open.length === 0) return ''
  return `<section><h2>${escapeHtml(name)}</h2>${list('Open', open.map(openText), true)}${list('Decided', decisions.map(decisionText), false)}</section>`
}

function list(title: string, items: readonly string[], isOpen: boolean): string {
  if (items.length === 0) return ''
  const shown = items.map((item) => `<li>${escapeHtml(item)}</li>`).join('')
  return `<details${isOpen ? ' open' : ''}><summary>${title} (${count(items.length)})</summary><ul class="items">${shown}</ul></details>`
}
