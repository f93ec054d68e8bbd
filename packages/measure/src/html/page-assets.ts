import { readFileSync } from 'node:fs'

// The build reads them and puts them into the code.
const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8')

/** The style sheet of the page: the colours of all pages, the looks of all with a table, and its own. */
export function pageStyle(): string {
  const shared = ['theme', 'tables'].map((name) => read(`../../../view/src/${name}.css`))
  return [...shared, read('../../src/html/page.css')].join('')
}

/** The script of all pages with a table. */
export function pageScript(): string {
  return read('../../../view/dist/page/table-page.js')
}
