import { readFileSync } from 'node:fs'

const folder = new URL('./browser/', import.meta.url)
const importLine = /^import\s[^;]*?from\s'\.\/([\w-]+)\.js';?$/gm
const exportWord = /^export (?=(?:async )?function|const|let)/gm
let script: string | undefined

/**
 * Joins the modules of the page into one, each after those it imports. They share one scope, so a name that two of them
 * declare is a syntax error in the browser.
 */
export function pageScript(): string {
  script ??= joinModules((name) => readFileSync(new URL(`${name}.js`, folder), 'utf8'))
  return script
}

/** Joins `main` and its imports. Throws if a module has an import or export of another form. */
function joinModules(read: (name: string) => string): string {
  const parts: string[] = []
  const done = new Set<string>()
  const add = (name: string): void => {
    if (done.has(name)) return
    done.add(name)
    const source = read(name).replace(/^\/\/# sourceMappingURL=.*$/gm, '')
    for (const [, other = ''] of source.matchAll(importLine)) add(other)
    const body = source
      .replace(importLine, '')
      .replace(exportWord, '')
      .replace(/^export \{\};?$/gm, '')
    const left = /^(?:import|export)\b.*$/m.exec(body)
    if (left !== null) throw new Error(`${name} cannot be inlined: ${left[0]}`)
    if (/<\/script|<!--/i.test(body)) throw new Error(`${name} cannot be inlined: it would end its element`)
    parts.push(body.trim())
  }
  add('main')
  return `${parts.join('\n')}\n`
}
