import { largePattern } from '../../session/large-pattern.ts'
import { isLooker } from '../../shell/command-program.ts'
import type { ShellRun } from '../../shell/shell-runs.ts'
import { programName } from '../../shell/shell-wrappers.ts'
import type { ToolUse } from '../../tools/tool-uses.ts'
import type { CommandFact } from '../facts.ts'
import { goalOf } from './error-keys.ts'

/**
 * What a failed call means for the work. `remark`: the harness corrected the agent. `look`: a lookup found nothing.
 * `step`: one way to do something failed. `goal`: something that must be done, by any program. `check`: the work is not
 * correct yet.
 */
export type FailureKind = 'remark' | 'look' | 'step' | 'goal' | 'check'

// From Claude Code, Codex, Gemini CLI, Cline, OpenHands and others, about calls that their tools did not accept.
const remarks = largePattern(
  /^(?:<tool_use_error>|<error>|Error: )?\s*(?:<tool_use_error>)?(?:File has (?:not been read|been modified|been unexpectedly)|File (?:content|must be read)|Cancelled: |Sibling tool call|InputValidationError|Invalid tool|No such tool|Unknown tool|Unknown skill|Agent type '.{1,80}' not found|Tool .{1,80} not found|Missing (?:required )?(?:param|value)|The required parameter|Parameter .{1,80} is (?:required|expected)|EISDIR|EnterPlanMode|ExitPlanMode|old_string and new_string|File content \(\d|You (?:must|have not)|Note: )/i,
)

// A check that could not start says nothing about the work.
const notStarted =
  /command not found|not recognized as|unrecognized (?:sub)?command|[Mm]issing script|[Uu]nknown (?:command|script)|No rule to make target|ERR_PNPM_RECURSIVE_EXEC_FIRST_FAIL|ERR_PNPM_NO_SCRIPT|could not determine executable|can't cd to|cd: .{1,200}No such file|No module named ['"]?(?:pytest|tox|mypy|ruff|flake8|black|unittest2|nose)\b|could not find [`'"]?(?:Cargo\.toml|go\.mod|package\.json)|go: go\.mod file not found|No such file or directory, open .{1,200}package\.json|Could not read package\.json|[Cc]ouldn't find a script named|No files were processed in the specified paths|No files matching the pattern .{1,200} (?:were|was) found/

const minor =
  /^(?:kill|pkill|killall|rm|rmdir|mkdir|touch|chmod|ln|cd|sleep|wait|mktemp|true|false|test|\[|open|which)$/
const gitLooks =
  /^git (?:status|log|show|diff|branch|ls-files|ls-tree|ls-remote|rev-parse|rev-list|blame|remote|check-ignore|merge-base|cat-file|config|describe|reflog|grep|symbolic-ref|for-each-ref|fetch|shortlog|worktree|stash list)\b/
const nothingToDo =
  /nothing to commit|nothing added to commit|no changes added to commit|Everything up-to-date/

/** Classifies a failed call. */
export function failureKind(
  { call, result }: ToolUse,
  command: CommandFact | undefined,
  run: ShellRun | undefined,
): FailureKind {
  const text = result?.text ?? ''
  if (remarks().test(text.slice(0, 400))) return 'remark'
  if (command === undefined || run === undefined)
    return /^(?:read|search|think|switch_mode)$/.test(call.kind) ? 'look' : 'step'
  // A hook makes a commit a check.
  const isCheck = command.purpose !== undefined
  const isGit = /^git (?:commit|push)$/.test(command.program)
  if ((isGit || !isCheck) && nothingToDo.test(text.slice(-2000))) return 'look'
  if (isCheck) return notStarted.test(text.slice(-4000)) ? 'step' : 'check'
  if (looksOnly(command, run)) return 'look'
  return goalOf(command.program) === undefined || isMissing(command.program, text) ? 'step' : 'goal'
}

/** Whether the shell does not know the program: it is not there, and the work must do without it. */
function isMissing(program: string, text: string): boolean {
  const name = programName(program.split(' ')[0] ?? '')
  return text
    .slice(0, 2000)
    .split('\n')
    .some((line) => line.includes(name) && /command not found|is not recognized as/.test(line))
}

function looksOnly({ program }: CommandFact, { commands }: ShellRun): boolean {
  if (gitLooks.test(program)) return true
  return (
    commands.length > 0 &&
    commands.every(({ words }) => isLooker(words) || minor.test(programName(words[0] ?? '')))
  )
}
