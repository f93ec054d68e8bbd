import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Links between the pages of a folder that lead nowhere, as `page: link`. */
export function deadLinks(folder) {
  const pages = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.html'))
  return pages.flatMap((page) => {
    const links = readFileSync(join(folder, page), 'utf8').matchAll(/ (?:href|src)="([^"#?]+)[^"]*"/g)
    const targets = new Set([...links].map(([, link]) => link).filter((link) => !/^[a-z]+:/.test(link)))
    return [...targets]
      .filter((link) => !existsSync(join(folder, link.startsWith('/') ? '' : dirname(page), decodeURI(link))))
      .map((link) => `${page}: ${link}`)
  })
}
