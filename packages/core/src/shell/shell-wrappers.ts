import { wordsByName } from './programs.ts'
import { type ShellDialect, type ShellText, type SimpleCommand, splitShell } from './shell-words.ts'

const wrappers = wordsByName('wrappers')
const runners = wordsByName('runners')
const pythons = /^python(?:\d(?:\.\d+)?)?$|^py$/

const posixShells = new Set(['bash', 'sh', 'zsh', 'dash', 'ksh', 'fish'])
const powershells = new Set(['powershell', 'powershell.exe', 'pwsh', 'pwsh.exe'])
const maxDepth = 4

/** Returns the name of a program without its folder: `env` for `/usr/bin/env`; `./gradlew` stays. */
export function programName(word: string): string {
  if (!/[\\/]/.test(word) || word.startsWith('./')) return word
  return word.slice(Math.max(word.lastIndexOf('/'), word.lastIndexOf('\\')) + 1)
}

/** Words without `sudo`, `timeout 30`, `env A=b`, `time` and the like before the program. */
function stripWrappers(words: readonly string[]): readonly string[] {
  let at = 0
  for (;;) {
    const program = programName(words[at] ?? '')
    const values = wrappers.get(program)
    if (values === undefined || words.length - at < 2) break
    // `command -v name` asks for a program and does not run it.
    if (words[at] === 'command' && /^-[vV]$/.test(words[at + 1] ?? '')) break
    if (program === 'rtk' && /^(?:gain|init|config|discover)$/.test(words[at + 1] ?? '')) break
    // `rtk test <command>` runs it and shortens its output.
    const sub = program === 'rtk' && /^(?:test|lint|err|summary|proxy)$/.test(words[at + 1] ?? '')
    let next = at + (sub && words.length > at + 2 ? 2 : 1)
    while (next < words.length) {
      const word = words[next] ?? ''
      if (word === '--') {
        next += 1
        break
      }
      if (values.includes(word)) next += 2
      else if (word.startsWith('-') || /^[A-Za-z_]\w*=/.test(word)) next += 1
      else break
    }
    // `timeout 30 npm test`
    if (/^g?timeout$/.test(program)) next += 1
    if (next >= words.length) break
    at = next
  }
  return at === 0 ? words : words.slice(at)
}

/**
 * Splits a program that only starts another one off the words: `npx vitest run` is `npx` and `vitest run`. `undefined` if
 * the program is not one.
 */
export function splitRunner(
  words: readonly string[],
): { readonly label: string; readonly rest: readonly string[] } | undefined {
  const program = programName(words[0] ?? '')
  if (pythons.test(program)) {
    const at = words.indexOf('-m')
    if (at < 1 || at > 3 || words[at + 1] === undefined) return undefined
    return { label: `${program} -m`, rest: words.slice(at + 1) }
  }
  const subs = runners.get(program)
  if (subs === undefined) return undefined
  const sub = subs.length === 0 ? '' : words[1]
  if (sub === undefined || (sub !== '' && !subs.includes(sub))) return undefined
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
  if (rest.length === 0) return undefined
  return { label: sub === '' ? program : `${program} ${sub}`, rest }
}

/**
 * Returns the script of `bash -lc '…'`, `pwsh -Command …`, with its dialect; `undefined` if the words are not such a
 * call.
 */
export function shellScript(words: readonly string[]): { text: string; dialect: ShellDialect } | undefined {
  const program = programName(words[0] ?? '').toLowerCase()
  if (posixShells.has(program)) {
    const flag = words.findIndex((word, index) => index > 0 && /^-[a-z]*c$/.test(word))
    const text = flag > 0 && flag < 5 ? words[flag + 1] : undefined
    return text === undefined ? undefined : { text, dialect: 'posix' }
  }
  if (powershells.has(program)) {
    const flag = words.findIndex((word, index) => index > 0 && /^-c(?:ommand)?$/i.test(word))
    return flag > 0 ? { text: words.slice(flag + 1).join(' '), dialect: 'powershell' } : undefined
  }
  return undefined
}

/**
 * Splits a shell text and looks through wrappers: returns the commands that really ran, including those of `bash -c`
 * scripts.
 */
export function splitShellDeep(
  text: string,
  dialect: ShellDialect = 'posix',
  folder: string | null = '',
  depth = 0,
): ShellText {
  const shell = splitShell(text, dialect, folder)
  return { ...shell, commands: shell.commands.flatMap((command) => expand(command, depth)) }
}

/** Returns the commands of an argument array, as in `["bash", "-lc", "npm test"]` or `["git", "status"]`. */
export function splitArguments(words: readonly string[]): ShellText {
  return { commands: expand({ words, redirects: [], heredocs: [], joiner: '', folder: '' }, 0), folder: '' }
}

function expand(command: SimpleCommand, depth: number): SimpleCommand[] {
  const words = stripWrappers(command.words)
  const script = shellScript(words)
  if (script === undefined || depth >= maxDepth)
    return [words === command.words ? command : { ...command, words }]
  const inner = splitShellDeep(script.text, script.dialect, command.folder ?? null, depth + 1).commands
  return inner.map((part, index) => ({
    ...part,
    joiner: index === 0 ? command.joiner : part.joiner,
    redirects: index === inner.length - 1 ? [...part.redirects, ...command.redirects] : part.redirects,
  }))
}
