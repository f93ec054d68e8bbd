import type { History } from '../history/history.ts'
import { historyBlocks, historyTitle } from '../history/history-blocks.ts'
import { blocksToHtml } from './blocks-to-html.ts'
import { escapeHtml, htmlPage } from './html-page.ts'
import { drawWeeks } from './plots.ts'

/** The history as one HTML file without a script. */
export function historyToHtml(history: History): string {
  const title = historyTitle(history)
  return htmlPage(
    title,
    `<header><h1>${escapeHtml(title)}</h1><p class="about">What sessions cost by a price table, what was decided in them, and what they leave open.</p></header>
<main>
<div class="plots">${drawWeeks(history.weeks)}</div>
${blocksToHtml(historyBlocks(history))}
</main>`,
  )
}
