import type { SessionEvent, ToolResultEvent } from '../session/event.ts'
import type { Steps } from '../session/pauses.ts'
import { joinToolUses, type ToolUse, textAt } from '../tools/tool-uses.ts'
import { commandProgram, decisiveCommand, isLooker } from './command-program.ts'
import { type Purpose, purposeOf } from './command-purpose.ts'
import { programName, readShellRuns, type ShellRun, unwrapped } from './shell-runs.ts'
import type { SimpleCommand } from './shell-words.ts'
import { shellOutput, statedOutcome } from './stated-outcome.ts'

export interface CommandOutcome {
  readonly status: ToolUse['outcome']
  readonly exitCode?: number
}

// Checks that print nothing if they pass, and always something if they fail.
const quiet =
  /(?:^|\s)(?:tsc|vue-tsc|tsgo|eslint|stylelint|gofmt|goimports|flake8|shellcheck|yamllint|gcc|g\+\+|cc|clang(?:\+\+)?|javac|rustc|go (?:build|vet))$/

// Without output they succeeded: they report each failure.
const fileWork = /^(?:cd|rm|touch|mkdir|chmod|mv|cp|ln|git add)$/

/**
 * Determines how the command at `decisive` ended: from its exit code, unless the format has none or a pipe, `;` or `||`
 * hides that of a check; then from `echo $?` or from the output, otherwise `unknown`.
 */
export function commandOutcome(
  use: ToolUse,
  commands: readonly SimpleCommand[],
  decisive: number,
  purpose: Purpose | undefined,
): CommandOutcome {
  const exitCode = use.result?.exitCode
  const plain = { status: use.outcome, ...(exitCode === undefined ? {} : { exitCode }) }
  const after = commands.slice(decisive + 1)
  if (use.outcome === 'error' && use.result !== undefined && answeredNo(use.result, commands)) {
    return purpose === undefined || searchesFailures(after)
      ? { ...plain, status: 'ok' }
      : { status: 'unknown' }
  }
  if (use.result === undefined || (use.outcome !== 'ok' && use.outcome !== 'unknown')) return plain
  if (use.outcome === 'ok' && (purpose === undefined || !isHidden(commands, decisive))) return plain
  const text = shellOutput(use.result.text)
  const printed = printedExitCode(after, text, textAt(use.call.input, 'command'))
  if (printed !== undefined) return { status: printed === 0 ? 'ok' : 'error', exitCode: printed }
  const counted = countedFailures(after, text)
  if (counted !== undefined) return { status: counted === 0 ? 'ok' : 'error' }
  const words = commands[decisive]?.words ?? []
  const stated = isLooker(words) ? undefined : statedOutcome(text)
  if (stated !== undefined) return { status: stated }
  // The pipe ended successfully, so the check itself printed nothing.
  const isSilent =
    use.outcome === 'ok' &&
    showsFailures(after) &&
    (quiet.test(commandProgram(words)) || after.some((search) => searchesFailures([search])))
  const isFileWork = commands.every(({ words }) => fileWork.test(commandProgram(words)))
  return { status: (isSilent || isFileWork) && isWithoutOutput(text, commands) ? 'ok' : 'unknown' }
}

function isHidden(commands: readonly SimpleCommand[], decisive: number): boolean {
  const after = commands.slice(decisive + 1)
  if (after.every(({ joiner }) => joiner === '&&')) return false
  const strict = commands.some(
    ({ words }) => words[0] === 'set' && words.some((word) => /pipefail/.test(word)),
  )
  return !(strict && after.every(({ joiner }) => joiner === '&&' || joiner === '|'))
}

// Texts of harnesses for empty output, and of Node for a debugger.
const noOutput =
  /^\((?:no output|Bash completed with no output)\)$|^(?:Debugger attached\.|Waiting for the debugger to disconnect\.\.\.)$/

/** Whether nothing was printed except headings that `echo` printed between the commands. */
function isWithoutOutput(text: string, commands: readonly SimpleCommand[]): boolean {
  if (text.length > 2000) return false
  const headings = new Set(
    commands.flatMap(({ words, joiner }) =>
      joiner !== '||' && /^(?:echo|Write-Host|Write-Output)$/.test(words[0] ?? '')
        ? [words.slice(1).join(' ').trim()]
        : [],
    ),
  )
  return text
    .split('\n')
    .map((line) => line.trim())
    .every((line) => line === '' || noOutput.test(line) || headings.has(line))
}

/** Whether the output would show errors of the check: each `grep` in the pipe searches for them. */
function showsFailures(after: readonly SimpleCommand[]): boolean {
  const end = after.findIndex(({ joiner }) => joiner !== '|')
  return (end < 0 ? after : after.slice(0, end)).every(
    (search) => !/^(?:e|f)?grep$|^rg$/.test(search.words[0] ?? '') || searchesFailures([search]),
  )
}

/** Returns what `grep -c error` or `grep error | wc -l` counted in the output of a check. */
function countedFailures(after: readonly SimpleCommand[], text: string): number | undefined {
  const words = after.at(-1)?.words ?? []
  const counts =
    words[0] === 'wc' ? words.includes('-l') : words[0] === 'grep' && /^-\w*c/.test(words[1] ?? '')
  const count = /^\s*(\d{1,9})\s*$/.exec(text.slice(0, 100))?.[1]
  return counts && searchesFailures(after) && count !== undefined ? Number(count) : undefined
}

function searchesFailures(after: readonly SimpleCommand[]): boolean {
  return after.some(
    ({ words }) =>
      /^(?:e|f)?grep$|^rg$/.test(words[0] ?? '') &&
      !words.some((word) => /^-\w*v/.test(word)) &&
      words.some((word) => /error|fail/i.test(word)),
  )
}

/** Returns what `echo "exit: $?"` printed, or `"exit=$LASTEXITCODE"` in PowerShell. */
function printedExitCode(
  after: readonly SimpleCommand[],
  text: string,
  script: string | undefined,
): number | undefined {
  const own = /"([^"$\n]{1,60})\$LASTEXITCODE[^"\n]{0,200}"\s*$/.exec(script?.slice(-400) ?? '')?.[1]
  const last = own === undefined ? -1 : text.lastIndexOf(own)
  const value = own === undefined || last < 0 ? null : /^\d{1,3}/.exec(text.slice(last + own.length))
  if (value !== null) return Number(value[0])
  for (const { words } of after) {
    const word = words.find((part) => /\$\?|\$\{PIPESTATUS\[0\]\}/.test(part))
    if (words[0] !== 'echo' || word === undefined) continue
    const label = word.slice(0, word.search(/\$\?|\$\{PIPESTATUS/)).slice(-30)
    const at = text.lastIndexOf(label)
    const code =
      label === ''
        ? /(?:^|\n)(\d{1,3})\s*$/.exec(text.slice(-10))
        : /^\d{1,3}/.exec(text.slice(at + label.length))
    if (at >= 0 && code !== null) return Number(code[1] ?? code[0])
  }
  return undefined
}

/** Exit codes with which a program answers "no" instead of failing. */
interface Answer {
  readonly codes: readonly number[]
  /** The program also prints something: a difference, or that a program does not exist. */
  readonly prints?: true
  readonly option?: RegExp
}

const answers = new Map<string, Answer>(
  (
    [
      ['grep egrep fgrep zgrep rg ag ack findstr pgrep pidof lsof test [ [[ expr', { codes: [1] }],
      ['xargs', { codes: [1, 123] }],
      ['diff colordiff cmp fc which where type command hash', { codes: [1], prints: true }],
      ['gofmt gofumpt goimports', { codes: [1], prints: true, option: /^-d$/ }],
      ['jq', { codes: [1], prints: true, option: /^(?:-\w*e\w*|--exit-status)$/ }],
      ['kill', { codes: [1], prints: true, option: /^-0$/ }],
      ['git:grep git:config git:merge-base git:show-ref git:symbolic-ref', { codes: [1] }],
      ['git:rev-parse git:ls-files git:check-ignore git:cat-file', { codes: [1] }],
      ['git:diff git:diff-index git:diff-files git:diff-tree npm:outdated', { codes: [1], prints: true }],
      ['systemctl:is-active systemctl:is-enabled', { codes: [1, 3], prints: true }],
    ] as const
  ).flatMap(([programs, answer]) =>
    programs.split(' ').map((name) => [name.replace(':', ' '), answer] as const),
  ),
)

// Claude Code and Cline put the exit code first, pi last. Claude Code, opencode and pi have a text for empty output.
const frame = /^Exit code \d+|^\[Command exited with code \d+\]|Command exited with code \d+\s*$/g
const nothing = /^(?:\((?:Bash completed with )?no output\))?$/i

/** Error of a shell that could not run the command, or of a search that could not read a file. */
const complaint =
  /^(?:\(eval\)|\S{0,40}\b(?:ba|z|da|k)?sh|(?:e|f|z)?grep|rg|ag|ack|find|exec_command failed)\b.{0,20}:|is not recognized as|command not found/m

/** The count that `grep -c` prints if nothing matches, with or without a file name. */
const zero = /(?:^|[\n:])0$/

/**
 * Whether the exit code of a command line is a negative answer and not an error: a search without a hit, a difference,
 * a false `test`. The last command decides, or an earlier one if `&&` skipped the rest.
 */
function answeredNo(
  { text, exitCode }: Pick<ToolResultEvent, 'text' | 'exitCode'>,
  commands: readonly SimpleCommand[],
): boolean {
  const output = shellOutput(text).slice(-4000).replace(/\r/g, '')
  const code = exitCode ?? Number(/^Exit code (\d+)/.exec(text)?.[1] ?? 1)
  const printed = output.replaceAll(frame, '').trim()
  const isSilent = nothing.test(printed)
  for (let at = commands.length - 1; at >= 0; at--) {
    const command = commands[at] as SimpleCommand
    const answer = answerOf(command.words)
    if (answer?.codes.includes(code) === true) {
      if (isSilent || answer.prints === true) return true
      // The text is from earlier commands, which do not decide.
      const isLast = at === commands.length - 1
      const isOwn = commands.length > 1 && command.joiner === ';' && exitCode !== undefined
      const counts = command.words.some((word) => /^-\w*c\w*$|^--count$/.test(word))
      return isLast && (isOwn || (counts && zero.test(printed))) && !complaint.test(printed)
    }
    if (!isSilent || !/^(?:&&|\|)$/.test(command.joiner)) return false
  }
  return false
}

function answerOf(words: readonly string[]): Answer | undefined {
  const inner = unwrapped(words)
  const answer = answers.get(programName(inner[0] ?? '')) ?? answers.get(commandProgram(inner))
  const { option } = answer ?? {}
  return option === undefined || words.some((word) => option.test(word)) ? answer : undefined
}

/**
 * Yields the events, with the status of shell commands without an exit code derived from their output; `unknown` if the
 * output does not show it. If the format marks each failed command, only those left `unknown` are examined. An exit
 * code that is a negative answer, as of a search without a hit, is not an error in any format.
 */
export function* settleResults(
  events: readonly SessionEvent[],
  format: string,
  marksFailedCommands: boolean,
): Steps<SessionEvent[]> {
  const isOpen = ({ status, exitCode }: ToolResultEvent) =>
    status === 'error' ||
    (exitCode === undefined && (status === 'unknown' || (status === 'ok' && !marksFailedCommands)))
  if (!events.some((event) => event.type === 'tool_result' && isOpen(event))) return [...events]
  const uses = joinToolUses(events, true).filter(({ result }) => result !== undefined && isOpen(result))
  const settled = new Map<SessionEvent | undefined, ToolResultEvent['status']>()
  for (const run of yield* readShellRuns(uses, format))
    yield void settled.set(run.use.result, statedStatus(run))
  return events.map((event) => {
    const status = settled.get(event)
    return status === undefined || event.type !== 'tool_result' ? event : { ...event, status }
  })
}

function statedStatus({ use, commands }: ShellRun): ToolResultEvent['status'] {
  const decisive = decisiveCommand(commands)
  const purpose = purposeOf(commands[decisive])
  const outcome = use.outcome === 'error' ? 'error' : 'unknown'
  return commandOutcome({ ...use, outcome }, commands, decisive, purpose).status
}
