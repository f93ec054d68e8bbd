// Self-contained HTML pages, in an entry of their own because the plotting library is slow to load.

export { historyToHtml } from './history-to-html.ts'
export { reportToHtml } from './report-to-html.ts'
