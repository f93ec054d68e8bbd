import { readFileSync } from 'node:fs'

let script: string | undefined

/** The script of the page: one module without imports. */
export function pageScript(): string {
  script ??= readFileSync(new URL('./browser/main.js', import.meta.url), 'utf8')
    .replace(/^\/\/# sourceMappingURL=.*$/gm, '')
    .replace(/^export \{\};?$/gm, '')
  return script
}
