import { programName } from './shell-wrappers.ts'

/** A program that only starts another one: `npx vitest run` is `npx` and `vitest run`. */
export interface RunnerCall {
  readonly label: string
  readonly rest: readonly string[]
}

// Words after the program that make it a runner; an empty text if the program alone does.
const runners = new Map<string, readonly string[]>([
  ['npx', ['']],
  ['bunx', ['']],
  ['pnpx', ['']],
  ['uvx', ['']],
  ['pipx', ['run']],
  ['npm', ['exec', 'x']],
  ['pnpm', ['exec', 'dlx']],
  ['yarn', ['exec', 'dlx']],
  ['bun', ['x']],
  ['uv', ['run']],
  ['poetry', ['run']],
  ['pipenv', ['run']],
  ['pdm', ['run']],
  ['hatch', ['run']],
  ['rye', ['run']],
  ['conda', ['run']],
  ['bundle', ['exec']],
  ['mise', ['exec', 'x']],
  ['asdf', ['exec']],
  ['direnv', ['exec']],
  ['rtk', ['']],
  ['cross-env', ['']],
  ['dotenv', ['']],
  ['c8', ['']],
  ['nyc', ['']],
  ['nodemon', ['']],
])
const pythons = /^python(?:\d(?:\.\d+)?)?$|^py$/
const rtkOwn = new Set(['gain', 'init', 'config', 'discover'])

/** Splits the runner off the words; `undefined` if the program is not one. */
export function splitRunner(words: readonly string[]): RunnerCall | undefined {
  const program = programName(words[0] ?? '')
  if (pythons.test(program)) {
    const at = words.indexOf('-m')
    if (at < 1 || at > 3 || words[at + 1] === undefined) return undefined
    return { label: `${program} -m`, rest: words.slice(at + 1) }
  }
  const subs = runners.get(program)
  if (subs === undefined) return undefined
  const sub = subs[0] === '' ? '' : words[1]
  if (sub === undefined || !subs.includes(sub)) return undefined
  let at = sub === '' ? 1 : 2
  while (at < words.length) {
    const word = words[at] ?? ''
    if (word === '--') {
      at += 1
      break
    }
    if (/^(?:-p|--package|--with|--project|--directory|--extra|--group|-n|--python)$/.test(word)) at += 2
    else if (word.startsWith('-') || /^[A-Za-z_]\w*=/.test(word) || word === '.' || /^\w+@[\d.]+$/.test(word))
      at += 1
    else break
  }
  const rest = words.slice(at)
  if (rest.length === 0 || (program === 'rtk' && rtkOwn.has(rest[0] ?? ''))) return undefined
  // `rtk test <command>` runs it and shortens its output.
  if (program === 'rtk' && rest.length > 1 && /^(?:test|lint|err|summary|proxy)$/.test(rest[0] ?? '')) {
    return { label: program, rest: rest.slice(1) }
  }
  return { label: sub === '' ? program : `${program} ${sub}`, rest }
}
