import { readFileSync } from 'node:fs'

/** Reads files once. A package ships its sources: the paths of its styles are right from `src` and from `dist`. */
function once(...paths: readonly string[]): () => string {
  let text: string | undefined
  return () => {
    text ??= paths.map((path) => readFileSync(new URL(path, import.meta.url), 'utf8')).join('')
    return text
  }
}

/** What the page of a session looks like, and its script: the modules of `browser` and their libraries, joined by a build. */
export const pageStyle = once('../src/theme.css', '../src/page.css')
export const pageScript = once('./page/main.js')

export const indexStyle = once('../src/theme.css', '../src/tables.css', '../src/index.css')
export const indexScript = once('./page/table-page.js')
