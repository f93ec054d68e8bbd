import { TenfoldError } from '../../errors.ts'

// Not picomatch: its matchers are regular expressions that backtrack. Version 4.0.7 can take more than 30 s to match a
// name of 200 letters against five stars, and a sandbox chooses the names of its files. This matcher takes time in
// proportion to the path and the glob, and treats brackets and parentheses, as in `[id].tsx`, as plain characters.

type Step =
  | { readonly op: 'char'; readonly char: string }
  /** Any character of a name, or any at all. */
  | { readonly op: 'name' | 'any' }
  /** Goes on at each of these steps, without a character. */
  | { readonly op: 'fork'; readonly to: number[] }

/**
 * Returns a function that matches `/`-joined paths with a glob: `*` and `?` within a name, `**` for any folders, and
 * `{a,b}`. Names that begin with a dot are not special. Throws {@link TenfoldError} `bad-glob` if it is not a valid
 * glob.
 */
export function globMatcher(glob: string): (path: string) => boolean {
  const plain = glob.replace(/^\.\//, '')
  const fault =
    plain === '' || plain.startsWith('/') || plain.split('/').includes('..')
      ? 'it must be relative and stay in the folder'
      : plain.length > 1000
        ? 'it is too long'
        : undefined
  if (fault !== undefined) throw badGlob(glob, fault)
  const steps = stepsOf([...(plain.endsWith('/') ? `${plain}**` : plain)], glob)
  const ways = [...steps, undefined].map((_, at) => waysFrom(steps, at))
  return (path) => matches(steps, ways, path)
}

function stepsOf(glob: readonly string[], whole: string): Step[] {
  const steps: Step[] = []
  const open: { readonly fork: number[]; readonly ends: number[][] }[] = []
  const fork = (...to: number[]): number[] => {
    steps.push({ op: 'fork', to })
    return to
  }
  /** Any number of what `add` adds. */
  const repeat = (add: () => void): void => {
    const start = steps.length
    const to = fork(start + 1)
    add()
    fork(start)
    to.push(steps.length)
  }
  const nameCharacter = (): void => void steps.push({ op: 'name' })
  for (let at = 0; at < glob.length; at++) {
    const char = glob[at] ?? ''
    const group = open.at(-1)
    if (char === '*' && glob[at + 1] === '*') {
      const folders = glob[at + 2] === '/' && (at === 0 || glob[at - 1] === '/')
      if (folders)
        repeat(() => {
          nameCharacter()
          repeat(nameCharacter)
          steps.push({ op: 'char', char: '/' })
        })
      else repeat(() => steps.push({ op: 'any' }))
      at += folders ? 2 : 1
    } else if (char === '*') repeat(nameCharacter)
    else if (char === '?') nameCharacter()
    else if (char === '{') open.push({ fork: fork(steps.length + 1), ends: [] })
    else if (char === '}' && group !== undefined) {
      open.pop()
      for (const end of group.ends) end.push(steps.length)
    } else if (char === ',' && group !== undefined) {
      group.ends.push(fork())
      group.fork.push(steps.length)
    } else steps.push({ op: 'char', char })
  }
  if (open.length > 0) throw badGlob(whole, 'a brace is not closed')
  return steps
}

/** Follows all ways through the steps at once. `ways[at]` are the steps that can take the next character from `at`. */
function matches(steps: readonly Step[], ways: readonly (readonly number[])[], path: string): boolean {
  // How many characters had been read when a step was last reached: none is reached twice after the same ones.
  const reached = new Int32Array(steps.length + 1)
  let now = ways[0] ?? []
  let read = 0
  for (const char of path) {
    if (now.length === 0) return false
    const next: number[] = []
    read++
    for (const at of now) {
      const step = steps[at]
      if (step === undefined || !takes(step, char)) continue
      for (const to of ways[at + 1] ?? []) {
        if (reached[to] === read) continue
        reached[to] = read
        next.push(to)
      }
    }
    now = next
  }
  return now.includes(steps.length)
}

/** The steps that are reached from one without a character; the end is one too. */
function waysFrom(steps: readonly Step[], from: number): number[] {
  const seen = new Set<number>()
  const waiting = [from]
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    if (seen.has(at)) continue
    seen.add(at)
    const step = steps[at]
    if (step?.op === 'fork') waiting.push(...step.to)
  }
  return [...seen].filter((at) => steps[at]?.op !== 'fork')
}

function takes(step: Step, char: string): boolean {
  return step.op === 'char' ? step.char === char : step.op === 'any' || char !== '/'
}

function badGlob(glob: string, reason: string): TenfoldError {
  return new TenfoldError(
    'bad-glob',
    `the glob ${JSON.stringify(glob.slice(0, 200))} cannot be read: ${reason}.`,
  )
}
