import { readFileSync } from 'node:fs'

let style: string | undefined

/** The style sheet of the page: the colours of all pages, and its own. */
export function pageStyle(): string {
  style ??= ['../../../view/src/theme.css', '../../src/html/page.css']
    .map((path) => readFileSync(new URL(path, import.meta.url), 'utf8'))
    .join('')
  return style
}
