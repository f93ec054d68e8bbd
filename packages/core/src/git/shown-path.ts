import { cleanLine, cleanText } from '../session/clean-text.ts'

/** A path or a name for display: on one line, in quotes if it holds a character that a line cannot. */
export function shownPath(path: string): string {
  return cleanLine(path) === path && path !== '' ? path : cleanText(JSON.stringify(path))
}

/** The first names of a list, and how many more follow. */
export function shownNames(names: readonly string[], count = names.length, max = 5): string {
  const shown = names.slice(0, max)
  const more = count - shown.length
  return `${shown.map(shownPath).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}
