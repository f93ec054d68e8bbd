import { readFileSync } from 'node:fs'

const styles = new Map<string, string>()

/** The style sheet of the page of a session. */
export function pageStyle(): string {
  return styleOf('page')
}

/** The style sheet of an index of sessions. */
export function indexStyle(): string {
  return styleOf('index')
}

function styleOf(name: string): string {
  const known = styles.get(name)
  if (known !== undefined) return known
  // The package ships its sources: the path is right from `src` and from `dist`.
  const [theme, own] = ['theme', name].map((file) =>
    readFileSync(new URL(`../src/${file}.css`, import.meta.url), 'utf8'),
  )
  const style = `${theme}${own}`
  styles.set(name, style)
  return style
}
