import { readFileSync } from 'node:fs'

let style: string | undefined

/** The style sheet of the page. */
export function pageStyle(): string {
  // The package ships its sources: the path is right from `src` and from `dist`.
  style ??= readFileSync(new URL('../../src/html/page.css', import.meta.url), 'utf8')
  return style
}
