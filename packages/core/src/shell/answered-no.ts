import type { ToolResultEvent } from '../session/event.ts'
import { commandProgram } from './command-program.ts'
import type { SimpleCommand } from './shell-words.ts'
import { programName } from './shell-wrappers.ts'
import { shellOutput } from './stated-outcome.ts'

/** How a program says no, and not that it failed. */
interface Answer {
  readonly codes: readonly number[]
  /** It says something with it: a difference, or that there is no such program. */
  readonly prints?: true
  /** Only with this option. */
  readonly option?: RegExp
}

const answers = new Map<string, Answer>(
  (
    [
      ['grep egrep fgrep zgrep rg ag ack findstr pgrep pidof lsof test [ [[ expr', { codes: [1] }],
      ['xargs', { codes: [1, 123] }],
      ['diff colordiff cmp fc which where type command hash', { codes: [1], prints: true }],
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

// Claude Code and Cline begin with the exit code, pi ends with it; Claude Code, opencode and pi have words for empty
// output.
const frame = /^Exit code \d+|^\[Command exited with code \d+\]|Command exited with code \d+\s*$/g
const nothing = /^(?:\((?:Bash completed with )?no output\))?$/i

/** What a shell says that could not run the command, or a search that could not read a file. */
const complaint =
  /^(?:\(eval\)|\S{0,40}\b(?:ba|z|da|k)?sh|(?:e|f|z)?grep|rg|ag|ack|find|exec_command failed)\b.{0,20}:|is not recognized as|command not found/m

/** The number that `grep -c` prints if nothing matches, with or without the name of the file. */
const zero = /(?:^|[\n:])0$/

/**
 * Whether the exit code of a command line is an answer and no error: a search without a hit, a difference, a `test` that
 * says no. The last command decides, or one before it if `&&` skipped what follows.
 */
export function answeredNo(
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
      // The text is that of the commands before it, which do not decide.
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
  const answer = answers.get(programName(words[0] ?? '')) ?? answers.get(commandProgram(words))
  const { option } = answer ?? {}
  return option === undefined || words.some((word) => option.test(word)) ? answer : undefined
}
