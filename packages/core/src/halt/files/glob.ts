import { TenfoldError } from '../../errors.ts'

// Not picomatch: its matchers are regular expressions that backtrack. Version 4.0.7 can take more than 30 s to match a
// name of 200 letters against five stars, and a sandbox chooses the names of its files. This matcher takes time in
// proportion to the path and the glob, and treats brackets and parentheses, as in `[id].tsx`, as plain characters.

const maxAlternatives = 256

/**
 * Returns a function that matches `/`-joined paths with a glob: `*` and `?` within a name, `**` for any folders, and
 * `{a,b}`. Names that begin with a dot are not special. Throws {@link TenfoldError} `bad-glob` for an invalid glob.
 */
export function globMatcher(glob: string): (path: string) => boolean {
  const plain = glob.replace(/^\.\//, '')
  if (plain === '' || plain.startsWith('/') || plain.split('/').includes('..'))
    throw badGlob(glob, 'it must be relative and stay in the folder')
  if (plain.length > 1000) throw badGlob(glob, 'it is too long')
  const patterns = alternatives(plain.endsWith('/') ? `${plain}**` : plain, glob).map((each) => {
    const names = each.split('/')
    // `a/**` matches files in the folder, not the folder.
    return names.at(-1) === '**' ? [...names, '*'] : names
  })
  return (path) => {
    const names = path.split('/')
    return !names.includes('') && patterns.some((pattern) => matches(pattern, names, '**', matchesName))
  }
}

/** Expands the braces of a glob, the inner ones first. */
function alternatives(glob: string, whole: string): string[] {
  let globs = [glob]
  for (;;) {
    const next = globs.flatMap((each) => {
      const [, before = '', options, after = ''] = /^(.*?)\{([^{}]*)\}(.*)$/s.exec(each) ?? []
      return options === undefined ? [each] : options.split(',').map((option) => before + option + after)
    })
    if (next.length > maxAlternatives) throw badGlob(whole, 'its braces give too many alternatives')
    if (next.every((each, index) => each === globs[index])) break
    globs = next
  }
  if (globs.some((each) => each.includes('{'))) throw badGlob(whole, 'a brace is not closed')
  return globs
}

function matchesName(pattern: string, name: string): boolean {
  return matches([...pattern], [...name], '*', (char, of) => char === '?' || char === of)
}

/**
 * Whether items match a pattern in which each `star` matches any number of items, and everything else one. Only the
 * last star is retried, because everything before it matched as early as possible.
 */
function matches(
  pattern: readonly string[],
  items: readonly string[],
  star: string,
  matchesOne: (pattern: string, item: string) => boolean,
): boolean {
  let [at, lastStar, from] = [0, -1, 0]
  for (let item = 0; item < items.length; ) {
    const step = pattern[at]
    if (step === star) {
      lastStar = at++
      from = item
    } else if (step !== undefined && matchesOne(step, items[item] as string)) {
      at++
      item++
    } else if (lastStar >= 0) {
      at = lastStar + 1
      item = ++from
    } else return false
  }
  return pattern.slice(at).every((step) => step === star)
}

function badGlob(glob: string, reason: string): TenfoldError {
  const shown = JSON.stringify(glob.slice(0, 200))
  return new TenfoldError('bad-glob', `the glob ${shown} cannot be read: ${reason}.`)
}
