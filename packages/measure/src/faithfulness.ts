import { identifiersOf } from './identifiers.ts'
import type { Score } from './score.ts'

/** How many of the identifiers in a text occur literally in the log. `logText`: see {@link sessionText}. */
export function faithfulness(statements: string, logText: string): Score {
  const stated = identifiersOf(statements)
  const missed = stated.filter((name) => {
    const known = name.replace(/^(?:~|\.{1,2})\//, '')
    return !occurs(logText, known) && !isJoined(logText, known)
  })
  return { kept: stated.length - missed.length, of: stated.length, missed }
}

/** A path that is joined from a folder and a path below it is as true as both. */
function isJoined(text: string, path: string): boolean {
  if (path.includes('://')) return false
  const parts = path.split('/')
  return parts.some(
    (_, at) =>
      at > 1 && occurs(text, parts.slice(0, at).join('/')) && occurs(text, parts.slice(at).join('/')),
  )
}

const inside = /[A-Za-z0-9_]/

function occurs(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1)) {
    const before = text[at - 1] ?? ' '
    const after = text[at + name.length] ?? ' '
    // A name after `\n` or `\t` of an escaped text follows a letter that is not its own.
    const starts = !inside.test(before) || (/[nrt]/.test(before) && text[at - 2] === '\\')
    if (starts && !inside.test(after)) return true
  }
  return false
}
