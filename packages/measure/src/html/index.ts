// Pages of one HTML file; apart from the package's root, since what draws their plots takes long to load.

export { historyToHtml } from './history-to-html.ts'
export { reportToHtml } from './report-to-html.ts'
