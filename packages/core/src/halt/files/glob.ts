import { TenfoldError } from '../../errors.ts'

// Not picomatch: its matchers are regular expressions that backtrack. Version 4.0.7 can take more than 30 s to match a
// name of 200 letters against five stars, and a sandbox chooses the names of its files. This matcher takes time in
// proportion to the path and the glob, and treats brackets and parentheses, as in `[id].tsx`, as plain characters.

/** Most alternatives that braces may give. */
const maxAlternatives = 256

/**
 * Returns a function that matches `/`-joined paths with a glob: `*` and `?` within a name, `**` for any folders, and
 * `{a,b}`. Names that begin with a dot are not special. Throws {@link TenfoldError} `bad-glob` if it is not a valid
 * glob.
 */
export function globMatcher(glob: string): (path: string) => boolean {
  const plain = glob.replace(/^\.\//, '')
  if (plain === '' || plain.startsWith('/') || plain.split('/').includes('..'))
    throw badGlob(glob, 'it must be relative and stay in the folder')
  if (plain.length > 1000) throw badGlob(glob, 'it is too long')
  const globs = alternatives(plain.endsWith('/') ? `${plain}**` : plain, glob).map(stepsOf)
  return (path) => globs.some((steps) => matches(steps, [...path]))
}

/** The globs that one with braces stands for. */
function alternatives(glob: string, whole: string): string[] {
  let depth = 0
  const cuts: number[] = []
  for (let at = 0; at < glob.length; at++) {
    if (glob[at] === '{' && depth++ === 0) cuts.push(at)
    else if (glob[at] === ',' && depth === 1) cuts.push(at)
    else if (glob[at] === '}' && depth > 0 && --depth === 0) {
      const ends = [...cuts.slice(1), at]
      const rest = glob.slice(at + 1)
      const all = ends.flatMap((end, index) =>
        alternatives(glob.slice(0, cuts[0]) + glob.slice((cuts[index] ?? 0) + 1, end) + rest, whole),
      )
      if (all.length > maxAlternatives) throw badGlob(whole, 'its braces give too many alternatives')
      return all
    }
  }
  if (depth > 0) throw badGlob(whole, 'a brace is not closed')
  return [glob]
}

/** `*` and `**` take any characters, `?` and `char` one, `folders` nothing or names that each end with a slash. */
type Step =
  | { readonly op: '*' | '**' | '?' | 'folders' | 'inside' }
  | { readonly op: 'char'; readonly char: string }

function stepsOf(glob: string): Step[] {
  const tokens = glob.match(/(?:(?<![^/])\*\*\/)|\*\*|[\s\S]/gu) ?? []
  return tokens.flatMap((token): Step[] => {
    if (token === '**/') return [{ op: 'folders' }, { op: 'inside' }]
    return token === '*' || token === '**' || token === '?' ? [{ op: token }] : [{ op: 'char', char: token }]
  })
}

/** Follows all ways through the steps at once. */
function matches(steps: readonly Step[], path: readonly string[]): boolean {
  let now = new Set<number>()
  /** Reaches a step, and those that are reached from it without a character. */
  const reach = (at: number, places: Set<number>): void => {
    for (let to = at; !places.has(to); ) {
      places.add(to)
      const op = steps[to]?.op
      if (op === 'folders') to += 2
      else if (op === '*' || op === '**') to += 1
    }
  }
  reach(0, now)
  for (const char of path) {
    const next = new Set<number>()
    for (const at of now) {
      const step = steps[at]
      if (step === undefined) continue
      const isName = char !== '/'
      if (step.op === '**' || (step.op === '*' && isName)) reach(at, next)
      else if (step.op === 'char' ? step.char === char : step.op === '?' && isName) reach(at + 1, next)
      else if (step.op === 'folders' && isName) next.add(at + 1)
      else if (step.op === 'inside') isName ? next.add(at) : reach(at - 1, next)
    }
    if (next.size === 0) return false
    now = next
  }
  return now.has(steps.length)
}

function badGlob(glob: string, reason: string): TenfoldError {
  return new TenfoldError(
    'bad-glob',
    `the glob ${JSON.stringify(glob.slice(0, 200))} cannot be read: ${reason}.`,
  )
}
