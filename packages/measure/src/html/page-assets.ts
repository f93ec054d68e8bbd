import { readFileSync } from 'node:fs'

// The build evaluates these reads and inlines the files.
const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8')

/** The page's style sheet: the shared theme, the shared table style, and its own. */
export function pageStyle(): string {
  const shared = ['theme', 'tables'].map((name) => read(`../../../view/src/${name}.css`))
  return [...shared, read('../../src/html/page.css')].join('')
}

/** The script for pages with a table. */
export function pageScript(): string {
  return read('../../../view/dist/page/table-page.js')
}
