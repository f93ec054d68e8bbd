import { readFileSync } from 'node:fs'

const scripts = new Map<string, string>()

/** The script of the page of a session: modules of `browser` and the libraries that they use, which a build joins. */
export function pageScript(): string {
  return scriptOf('main')
}

/** The script of an index of sessions. */
export function indexScript(): string {
  return scriptOf('index-page')
}

function scriptOf(name: string): string {
  const script = scripts.get(name) ?? readFileSync(new URL(`./page/${name}.js`, import.meta.url), 'utf8')
  scripts.set(name, script)
  return script
}
