import { type ShellDialect, type ShellText, type SimpleCommand, splitShell } from './shell-words.ts'

// Options that take a value, by wrapper; all other words with a dash are taken as switches.
const wrappers = new Map<string, { readonly values: readonly string[]; readonly operands: number }>([
  ['sudo', { values: ['-u', '-g', '-C', '-h', '-p'], operands: 0 }],
  ['doas', { values: ['-u', '-C'], operands: 0 }],
  ['env', { values: ['-u', '-C', '-S'], operands: 0 }],
  ['timeout', { values: ['-s', '-k', '--signal', '--kill-after'], operands: 1 }],
  ['gtimeout', { values: ['-s', '-k', '--signal', '--kill-after'], operands: 1 }],
  ['time', { values: ['-f', '-o'], operands: 0 }],
  ['nice', { values: ['-n'], operands: 0 }],
  ['ionice', { values: ['-c', '-n', '-p'], operands: 0 }],
  ['nohup', { values: [], operands: 0 }],
  ['setsid', { values: [], operands: 0 }],
  ['stdbuf', { values: ['-i', '-o', '-e'], operands: 0 }],
  ['caffeinate', { values: ['-t', '-w'], operands: 0 }],
  ['unbuffer', { values: [], operands: 0 }],
  ['xvfb-run', { values: ['-n', '-s', '-e'], operands: 0 }],
  ['command', { values: [], operands: 0 }],
  ['builtin', { values: [], operands: 0 }],
  ['exec', { values: ['-a'], operands: 0 }],
  ['noglob', { values: [], operands: 0 }],
])

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
    const wrapper = wrappers.get(programName(words[at] ?? ''))
    if (wrapper === undefined || words.length - at < 2) break
    // `command -v name` asks for a program and does not run it.
    if (words[at] === 'command' && /^-[vV]$/.test(words[at + 1] ?? '')) break
    let next = at + 1
    while (next < words.length) {
      const word = words[next] ?? ''
      if (word === '--') {
        next += 1
        break
      }
      if (wrapper.values.includes(word)) next += 2
      else if (word.startsWith('-') || /^[A-Za-z_]\w*=/.test(word)) next += 1
      else break
    }
    next += wrapper.operands
    if (next >= words.length) break
    at = next
  }
  return at === 0 ? words : words.slice(at)
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
