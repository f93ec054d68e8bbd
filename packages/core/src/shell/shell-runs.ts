import * as json from '../session/json.ts'
import type { Steps } from '../session/pauses.ts'
import { isDone, type ToolUse, textAt } from '../tools/tool-uses.ts'
import { wordsByName } from './programs.ts'
import { type ShellDialect, type ShellText, type SimpleCommand, splitShell } from './shell-words.ts'

/** A parsed shell command that an agent ran. */
export interface ShellRun {
  readonly use: ToolUse
  readonly text: string
  readonly commands: readonly SimpleCommand[]
  /** Start folder of the command: relative to the session's cwd, or absolute; absent if unknown. */
  readonly folder?: string
}

/** Tools that keep one shell for all calls of an agent, by format; Claude Code's `Bash` does so in any form of its log. */
const lastingShells: Readonly<Record<string, RegExp>> = {
  cursor: /^(?:Shell|run_terminal_cmd|run_terminal_command_v2)$/,
  openhands: /^(?:execute_bash|run|terminal)$/,
  'swe-agent': /^bash$/,
  'vscode-chat': /^(?:run_in_terminal|copilot_runInTerminal1?)$/,
}

/**
 * Finds the shell commands among tool uses. Their folder is given by the arguments (Codex) or the log (Claude Code);
 * otherwise it is followed through `cd` if the tool keeps one shell per agent, or per name (Copilot).
 */
export function* readShellRuns(uses: readonly ToolUse[], format: string): Steps<ShellRun[]> {
  // mini-SWE-agent starts a shell for each call and, unlike SWE-agent, reports exit codes.
  const fresh = format === 'swe-agent' && uses.some(({ result }) => result?.exitCode !== undefined)
  const lasting = fresh || !Object.hasOwn(lastingShells, format) ? undefined : lastingShells[format]
  const folders = new Map<string, string | null>()
  const runs: ShellRun[] = []
  for (const use of uses) {
    yield
    const { call, result } = use
    if (call.kind !== 'execute' || call.name === 'write_stdin' || isToolScript(use)) continue
    const script = commandOf(call.input, call.name)
    if (script === undefined) continue
    const given =
      textAt(call.input, 'workdir', 'working_directory', 'cwd', 'directory', 'dir_path') ?? call.cwd
    const shell = shellOf(use, lasting)
    const folder = given ?? (shell === undefined ? '' : (folders.get(shell) ?? ''))
    const isLost = shell !== undefined && given === undefined && folders.get(shell) === null
    const known = isLost ? undefined : beforeCd(folder, script.text)
    const base = known === undefined ? {} : { folder: known }
    runs.push({ use, text: script.text, commands: script.shell.commands, ...base })
    if (shell === undefined) continue
    const reset = printedFolder(result?.text.slice(-1000) ?? '', lasting !== undefined)
    if (reset !== undefined) folders.set(shell, reset)
    else if (isDone(use)) folders.set(shell, joinFolders(known, script.shell.folder) ?? null)
  }
  return runs
}

/** `cd app 2>/dev/null` does nothing if the shell is in `app` already: treated as if it came from the folder above. */
function beforeCd(folder: string, text: string): string {
  const into = /^\s*cd ([\w.-][\w./-]{0,200}?)\/? 2> ?\/dev\/null/.exec(text)?.[1]
  if (into === undefined || into.startsWith('.')) return folder
  if (folder === into) return ''
  return folder.endsWith(`/${into}`) ? folder.slice(0, -into.length - 1) : folder
}

/** Returns the key of the shell that a call shares with later calls; `undefined` if it has a separate one. */
function shellOf({ call }: ToolUse, lasting: RegExp | undefined): string | undefined {
  const isLasting = lasting?.test(call.name) ?? false
  if (isLasting || (call.name === 'Bash' && call.agent === 'main')) return call.agent
  // Claude Code before 2.0 logged subagents in the session, and they shared its shell.
  if (call.name === 'Bash' && /^sub\d+$/.test(call.agent)) return 'main'
  const named = /^(?:bash|powershell)$/.test(call.name)
    ? textAt(call.input, 'shellId', 'sessionId')
    : undefined
  return named === undefined ? undefined : `${call.agent} ${named}`
}

/** Returns the folder after a call, which Claude Code, OpenHands and SWE-agent print below the output. */
function printedFolder(tail: string, lasting: boolean): string | undefined {
  const pattern = lasting
    ? /^[[(]Current (?:working )?directory: ([^\n]+?)[\])]?$/m
    : /^Shell cwd was reset to (.+)$/m
  return pattern.exec(tail)?.[1]
}

/** Joins a folder to its base; `undefined` if the result is unknown. */
export function joinFolders(base: string | undefined, folder: string | undefined): string | undefined {
  if (folder === undefined || isAbsolutePath(folder)) return folder
  if (base === undefined || base === '' || folder === '') return base === '' ? folder : base
  return `${base}/${folder}`
}

/** Whether a call of Codex's `exec` is a script that calls tools, not a shell command. */
function isToolScript({ call }: ToolUse): boolean {
  return call.name === 'exec' && typeof call.input === 'string' && /\btools\.\w/.test(call.input)
}

function commandOf(input: unknown, name: string): { text: string; shell: ShellText } | undefined {
  const record = json.fields(input)
  // Codex `local_shell_call`: `{ action: { type: "exec", command: […] } }`.
  const inner = 'action' in record ? json.fields(record.action) : record
  const dialect: ShellDialect = /powershell|pwsh/i.test(name) ? 'powershell' : 'posix'
  for (const value of [input, inner.command, inner.cmd, inner.script, inner.commands]) {
    const words = Array.isArray(value) ? value.filter((word) => typeof word === 'string') : undefined
    const text = typeof value === 'string' ? value : shellScript(words ?? [])?.text
    // A bare patch, which Codex accepts.
    if (text?.startsWith('*** Begin Patch')) return { text, shell: splitArguments(['apply_patch', text]) }
    if (words !== undefined && words.length > 0) {
      return { text: text ?? words.map(quoteWord).join(' '), shell: splitArguments(words) }
    }
    if (text !== undefined && text.trim() !== '') return { text, shell: splitShellDeep(text, dialect) }
  }
  return undefined
}

/** Quotes a word of a command if a POSIX shell needs that. */
export function quoteWord(word: string): string {
  return /^[\w@%+=:,./~-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}

/** Whether a path is absolute on any system: `/a`, `~/a`, `C:\a` and `\\server\a`. */
export function isAbsolutePath(path: string): boolean {
  return /^(?:[/~]|[A-Za-z]:(?:[\\/]|$)|\\\\)/.test(path)
}

const posixShell = /^(?:(?:ba|z|da|k|fi)?sh|su|nix-shell)$/
const maxDepth = 4

/** Returns the name of a program without its folder: `env` for `/usr/bin/env`. `./gradlew` stays. */
export function programName(word: string): string {
  if (!/[\\/]/.test(word) || word.startsWith('./')) return word
  return word.slice(Math.max(word.lastIndexOf('/'), word.lastIndexOf('\\')) + 1)
}

const wrappers = wordsByName('wrappers')
const runners = wordsByName('runners')
const beforeSub = wordsByName('subcommands')
const runnerValues = /^(?:-p|--package|--with|--project|--directory|--extra|--group|-n|--python)$/
const pythons = /^(?:python(?:\d(?:\.\d+)?)?|py|coverage)$/

interface Launched {
  readonly label: string
  readonly rest: readonly string[]
}

/**
 * Returns the command that a program of a table starts: the words after its subcommand, options and arguments, or after
 * `--`.
 */
function launched(table: typeof wrappers, words: readonly string[]): Launched | undefined {
  const program = programName(words[0] ?? '')
  const about = table.get(program)
  if (about === undefined) return undefined
  const subs = about.filter((word) => /^[a-z]/.test(word))
  let label = program
  let at = 1
  if (subs.length > 0) {
    for (; words[at]?.startsWith('-') || words[at] === 'compose'; at += 1) {
      if (words[at] === 'compose') label += ' compose'
      else if (beforeSub.get(program)?.includes(words[at] ?? '')) at += 1
    }
    const sub = words[at] ?? ''
    if (!subs.includes(sub)) return undefined
    label += ` ${sub}`
    at += 1
  }
  const opens = program === 'nix' ? /^(?:-c|--command)$/ : /^--$/
  let places = Number(about.find((word) => /^\d$/.test(word)) ?? 0)
  for (; at < words.length; at += 1) {
    const word = words[at] ?? ''
    if (opens.test(word)) {
      at += 1
      break
    }
    if ((word.startsWith('-') && about.includes(word)) || (table === runners && runnerValues.test(word)))
      at += 1
    else if (!/^-|^[A-Za-z_]\w*=/.test(word)) {
      if (places === 0) break
      places -= 1
    }
  }
  return at < words.length ? { label, rest: words.slice(at) } : undefined
}

/** Removes `sudo`, `timeout 30`, `env A=b`, `nix develop -c` and the like. */
function stripWrappers(words: readonly string[], depth = 0): readonly string[] {
  const [program, sub = ''] = [programName(words[0] ?? ''), words[1]]
  // `command -v name` looks up a program without running it.
  const isOwn = /^(?:command -[vV]|rtk (?:gain|init|config|discover))$/.test(`${program} ${sub}`)
  if (depth > 8 || isOwn) return words
  // `rtk test <command>` runs the command and shortens its output.
  const shortens = program === 'rtk' && /^(?:test|lint|err|summary|proxy)$/.test(sub) && words.length > 2
  const rest = shortens ? words.slice(2) : launched(wrappers, words)?.rest
  return rest === undefined ? words : stripWrappers(rest, depth + 1)
}

/**
 * Splits off a program that only starts another one: `npx vitest run` becomes `npx` and `vitest run`. `undefined` for
 * any other program.
 */
export function splitRunner(words: readonly string[]): Launched | undefined {
  const program = programName(words[0] ?? '')
  const module = pythons.test(program) ? words.indexOf('-m') : -1
  const found =
    module > 0 && module < 4 && words[module + 1] !== undefined
      ? { label: `${program} -m`, rest: words.slice(module + 1) }
      : launched(runners, words)
  return found && { ...found, rest: stripWrappers(found.rest) }
}

/** Returns the words of the command that really runs, without the programs that only start it. */
export function unwrapped(words: readonly string[], depth = 0): readonly string[] {
  const runner = depth > maxDepth ? undefined : splitRunner(words)
  return runner === undefined ? words : unwrapped(runner.rest, depth + 1)
}

/** Returns the script of `bash -lc '…'` or `pwsh -Command …`, with its dialect; `undefined` for other words. */
function shellScript(words: readonly string[]): { text: string; dialect: ShellDialect } | undefined {
  const program = programName(words[0] ?? '').toLowerCase()
  if (program === 'eval') return { text: words.slice(1).join(' '), dialect: 'posix' }
  const isPosix = posixShell.test(program)
  if (!isPosix && !/^(?:powershell|pwsh)(?:\.exe)?$/.test(program)) return undefined
  const opens = isPosix ? /^-[a-z]*c$|^--(?:run|command)$/ : /^-c(?:ommand)?$/i
  const flag = words.slice(1, isPosix ? 5 : undefined).findIndex((word) => opens.test(word)) + 1
  const [text, ...others] = flag === 0 ? [] : words.slice(flag + 1)
  if (isPosix) return text === undefined ? undefined : { text, dialect: 'posix' }
  return flag === 0 ? undefined : { text: [text, ...others].join(' '), dialect: 'powershell' }
}

/** Splits a shell text into the commands that really ran, without wrappers and including those of `bash -c` scripts. */
export function splitShellDeep(
  text: string,
  dialect: ShellDialect = 'posix',
  folder: string | null = '',
  depth = 0,
): ShellText {
  const shell = splitShell(text, dialect, folder)
  return { ...shell, commands: shell.commands.flatMap((command) => expand(command, depth)) }
}

/** Returns the commands of an argument array, such as `["bash", "-lc", "npm test"]` or `["git", "status"]`. */
export function splitArguments(words: readonly string[]): ShellText {
  return { commands: expand({ words, redirects: [], heredocs: [], joiner: '', folder: '' }, 0), folder: '' }
}

function expand(command: SimpleCommand, depth: number): SimpleCommand[] {
  const words = stripWrappers(command.words)
  const inside = unwrapped(words)
  const script = shellScript(inside)
  if (script === undefined || depth >= maxDepth)
    return [words === command.words ? command : { ...command, words }]
  const inner = splitShellDeep(script.text, script.dialect, command.folder ?? null, depth + 1).commands
  return inner.map((part, index) => ({
    ...part,
    // A command in a container changes no file outside of it.
    words: [...words.slice(0, words.length - inside.length), ...part.words],
    joiner: index === 0 ? command.joiner : part.joiner,
    redirects: index === inner.length - 1 ? [...part.redirects, ...command.redirects] : part.redirects,
  }))
}
