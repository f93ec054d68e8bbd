import { singleSpaced } from '../../session/clean-text.ts'
import * as json from '../../session/json.ts'
import { largePattern } from '../../session/large-pattern.ts'
import { commandProgram, decisiveCommand, isLooker } from '../../shell/command-program.ts'
import { mendsFiles, purposeOf } from '../../shell/command-purpose.ts'
import { programName, type ShellRun } from '../../shell/shell-runs.ts'
import { type SimpleCommand, splitShell } from '../../shell/shell-words.ts'
import { readCues } from '../../text/read-cues.ts'
import type { ToolUse } from '../../tools/tool-uses.ts'
import { nothingToDo } from '../commands/commands.ts'
import type { CommandFact } from '../facts.ts'
import { fileTouches, namedFiles } from '../files/file-touches.ts'
import { shellTouches } from '../files/shell-touches.ts'
import type { PathNormalizer } from '../log-path.ts'

type Purpose = NonNullable<CommandFact['purpose']>

/** Checks that fail for the same reasons: code that builds has passed the type checker. */
const families: Readonly<Record<Purpose, string>> = {
  test: 'test',
  lint: 'lint',
  build: 'compile',
  typecheck: 'compile',
}

/** Goals that must be reached before the work counts, by any program. */
const goals = readCues(String.raw`
install JavaScript packages: ^(?:npm|pnpm|yarn|bun) (?:i|in|install|add|ci|update|upgrade)$|^yarn$
install Python packages: (?:^|\s)(?:pip3?|uv pip|uv|poetry|pipenv|pdm|conda|pipx)(?: pip)? (?:install|add|sync)$
install system packages: ^(?:apt|apt-get|brew|dnf|yum|apk|pacman|choco|winget|scoop)(?: \S+)?$
install modules:
  ^(?:go (?:get|install|mod \w+)|cargo (?:add|install)|bundle install|gem install)$
  ^(?:composer (?:install|require|update)|dotnet (?:add|restore))$
bring changes together: ^git (?:merge|rebase|pull|cherry-pick|revert|am|stash\b.*)$
commit: ^git commit$
push: ^git push$
clone: ^git clone$
tag: ^git tag$
open a pull request: ^(?:gh pr|glab mr)\b
release: ^(?:gh release|(?:npm|pnpm|yarn|bun|cargo|poetry|uv) publish|twine\b.*)\b
deploy: ^(?:terraform|tofu|kubectl|helm|flyctl|fly|vercel|wrangler|heroku|cdk|pulumi|serverless|sls)\b
build an image: ^(?:docker|podman) (?:build|buildx|push|compose)\b
migrate: \b(?:migrate|alembic)\b
`).map(({ heading, patterns }) => ({ goal: heading, program: new RegExp(patterns.join('|')) }))

/** Returns the goal of a command, if the work does not count without it: `commit`, `install Python packages`. */
function goalOf(program: string): string | undefined {
  return goals.find((each) => each.program.test(program))?.goal
}

/** Returns the keys by which a later success resolves a failure of this command, or this success an earlier failure. */
export function commandKeys(command: CommandFact): string[] {
  return [`text ${singleSpaced(command.command)}`, ...programKeys(command.program, command.purpose)]
}

/** Returns the keys of a program: what it checks, its subcommand, its goal. */
function programKeys(program: string, purpose: Purpose | undefined): string[] {
  const goal = goalOf(program)
  return [
    ...(purpose === undefined ? [] : [`check ${families[purpose]}`]),
    ...(purpose !== undefined || program.includes(' ') ? [`program ${program}`] : []),
    ...(goal === undefined ? [] : [`goal ${goal}`]),
    // A merge with conflicts ends with a commit.
    ...(goal === 'commit' ? ['goal bring changes together'] : []),
  ]
}

/** Returns the files that a shell command changed, which replaces earlier failed edits of them. */
export function editsOf(use: ToolUse, run: ShellRun | undefined, normalize: PathNormalizer): string[] {
  if (run === undefined) return []
  return fileTouches(use, run)
    .filter(({ action }) => action === 'modify' || action === 'write')
    .map(({ path, folder }) => `edit ${normalize(path, folder) ?? path}`)
}

/** Returns the keys of a call that is not a shell command: the same files, or the same arguments. */
export function toolKeys(use: ToolUse, normalize: PathNormalizer): string[] {
  const files = namedFiles(use)
  if (files.length > 0) return files.map((file) => `${use.call.kind} ${normalize(file) ?? file}`)
  // Only flat arguments, because nested ones may be too deep to serialize.
  const parts = Object.entries(json.fields(use.call.input)).map(([key, value]) =>
    typeof value === 'object' || String(value).length > 10_000 ? undefined : `${key}=${String(value)}`,
  )
  return parts.length === 0 || parts.includes(undefined) ? [] : [`${use.call.name} ${parts.join('\n')}`]
}

/** Returns the relative paths in a command's words: the subject of a check. */
export function commandTargets(command: string): string[] {
  return (command.slice(0, 2000).match(/(?<![^\s'"])[\w.@-]*[/.][\w./@-]*/g) ?? [])
    .map((target) =>
      target
        .replace(/\.\.\.$/, '')
        .replace(/^\.\//, '')
        .replace(/\/$/, ''),
    )
    .filter((target) => !target.startsWith('/') && !target.startsWith('-') && !/^\d/.test(target))
}

/** False if both lists of targets are non-empty and share none. An empty list means all. */
export function shareTarget(a: readonly string[], b: readonly string[]): boolean {
  if (a.length === 0 || b.length === 0) return true
  return a.some((one) => b.some((other) => covers(one, other) || covers(other, one)))
}

/** Whether targets include all others. An empty list means all. */
export function coversAll(targets: readonly string[], others: readonly string[]): boolean {
  if (targets.length === 0) return true
  return others.length > 0 && others.every((other) => targets.some((target) => covers(target, other)))
}

function covers(whole: string, part: string): boolean {
  return whole === '' || whole === '.' || whole === part || part.startsWith(`${whole}/`)
}

/**
 * Options of test runners that select tests by name: `go test -run`, `pytest -k`, `mocha --grep`, `jest -t`. `make -k`
 * and `vitest --run` select nothing.
 */
const selecting =
  /(?:^|(?<!\bmake)\s)(?:--?grep|-g|-t|--test-?[nN]ame-?[pP]attern|-k|-run|--filter|--tests)(?:=|\s+)("[^"]{1,300}"|'[^']{1,300}'|[^\s-]\S{0,200})/

/** Returns the words of the names by which a command selects tests, in lower case; none if it runs all. */
export function selectedNames(command: string): readonly string[] {
  const [, names = ''] = command.includes(' -') ? (selecting.exec(command.slice(0, 2000)) ?? []) : []
  return names.toLowerCase().match(/[\p{L}_][\p{L}\p{N}_]{2,}/gu) ?? []
}

/** False if both selections are non-empty and no name is the beginning of another. */
export function shareNames(a: readonly string[], b: readonly string[]): boolean {
  if (a.length === 0 || b.length === 0) return true
  return a.some((one) => b.some((other) => one.startsWith(other) || other.startsWith(one)))
}

// A chain is short; longer output is not searched for the scripts that it names.
const maxOutput = 200_000

/** Returns the keys of the commands that passed, if the run passed as a whole: the links of a chain, named scripts. */
export function passedParts(run: ShellRun | undefined, output: string): string[] {
  return run === undefined ? [] : [...linksOf(run.commands), ...echoedScripts(run, output)]
}

/** Returns every command joined by `&&` up to the decisive one, since all passed; all, if nothing else joins them. */
function linksOf(commands: readonly SimpleCommand[]): string[] {
  if (commands.length < 2) return []
  const isChain = commands.every(({ joiner }) => joiner === '' || joiner === '&&')
  const end = isChain ? commands.length : decisiveCommand(commands)
  return commands
    .filter((_, index) => isChain || (index < end && leadsTo(commands.slice(index + 1, end + 1))))
    .flatMap((command) => [
      `text ${command.words.join(' ')}`,
      ...programKeys(commandProgram(command.words), purposeOf(command)),
    ])
}

/** Whether the following commands ran only because the one before them passed. */
function leadsTo(following: readonly SimpleCommand[]): boolean {
  return following[0]?.joiner === '&&' && following.every(({ joiner }) => joiner === '&&' || joiner === '|')
}

/** Returns commands of a script as package managers and task runners print them: `> tsc`, `[lint] $ golangci-lint run`. */
function echoedScripts({ commands }: ShellRun, output: string): string[] {
  const runsScripts = commands.some(({ words }) => /^(?:npm|pnpm|yarn|bun|mise|task)$/.test(words[0] ?? ''))
  if (!runsScripts || output.length > maxOutput) return []
  const scripts = [...output.matchAll(/^(?:>|(?:\[[\w:-]{1,60}\] )?\$) (\S[^\n]{0,300})$/gm)].slice(0, 20)
  return scripts.flatMap(([, script = '']) =>
    splitShell(script)
      .commands.filter(({ joiner }) => joiner === '' || joiner === '&&')
      .flatMap((command) => {
        const purpose = purposeOf(command)
        return purpose === undefined ? [] : programKeys(commandProgram(command.words), purpose)
      }),
  )
}

const committed = /^\[[^\]\n]{1,200} [\da-f]{7,40}\] /m
const pushed =
  /^[ \t]{0,4}(?:[+*] ?)?[ \t]{0,4}(?:[\da-f]{7,40}\.{2,3}[\da-f]{7,40}|\[new (?:branch|tag)\])[ \t]{1,20}\S+ -> \S+/m

/** Returns the keys of the commits and pushes that the output of a run reports, however the whole ended. */
export function reportedByGit(run: ShellRun | undefined, output: string): string[] {
  const likely = (run?.commands ?? []).filter(
    ({ words }) => words.includes('commit') || words.includes('push'),
  )
  if (likely.length === 0) return []
  const programs = new Set(likely.map(({ words }) => commandProgram(words)))
  return [
    ...(programs.has('git commit') && committed.test(output) ? programKeys('git commit', undefined) : []),
    ...(programs.has('git push') && pushed.test(output) && !/\[(?:remote )?rejected\]/.test(output)
      ? programKeys('git push', undefined)
      : []),
  ]
}

/**
 * What a failed call means for the work. `remark`: the harness corrected the agent. `look`: a lookup found nothing.
 * `step`: one way to do something failed. `goal`: something that must be done, by any program. `check`: the work is not
 * correct yet.
 */
export type FailureKind = 'remark' | 'look' | 'step' | 'goal' | 'check'

// Messages of Claude Code, Codex, Gemini CLI, Cline, OpenHands and others about calls that their tools did not accept.
const remarks = largePattern(
  /^(?:<tool_use_error>|<error>|Error: )?\s*(?:<tool_use_error>)?(?:File has (?:not been read|been modified|been unexpectedly)|File (?:content|must be read)|Cancelled: |Sibling tool call|InputValidationError|Invalid tool|No such tool|Unknown tool|Unknown skill|Agent type '.{1,80}' not found|Tool .{1,80} not found|Missing (?:required )?(?:param|value)|The required parameter|Parameter .{1,80} is (?:required|expected)|EISDIR|EnterPlanMode|ExitPlanMode|old_string and new_string|File content \(\d|You (?:must|have not)|Note: )/i,
)

// A check that could not start shows nothing about the work.
const notStarted =
  /command not found|not recognized as|unrecognized (?:sub)?command|[Mm]issing script|[Uu]nknown (?:command|script)|No rule to make target|ERR_PNPM_RECURSIVE_EXEC_FIRST_FAIL|ERR_PNPM_NO_SCRIPT|could not determine executable|can't cd to|cd: .{1,200}No such file|No module named ['"]?(?:pytest|tox|mypy|ruff|flake8|black|unittest2|nose)\b|could not find [`'"]?(?:Cargo\.toml|go\.mod|package\.json)|go: go\.mod file not found|No such file or directory, open .{1,200}package\.json|Could not read package\.json|[Cc]ouldn't find a script named|No files were processed in the specified paths|No files matching the pattern .{1,200} (?:were|was) found/

const minor =
  /^(?:kill|pkill|killall|rm|rmdir|mkdir|touch|chmod|ln|cd|sleep|wait|mktemp|true|false|test|\[|open|which)$/
const gitLooks =
  /^git (?:status|log|show|diff|branch|ls-files|ls-tree|ls-remote|rev-parse|rev-list|blame|remote|check-ignore|merge-base|cat-file|config|describe|reflog|grep|symbolic-ref|for-each-ref|fetch|shortlog|worktree|stash list)\b/

/** A call that only looks, by its kind, or by the name of a foreign tool. */
const looks =
  /^(?:read|search|fetch|think|switch_mode) |^other (?:.*[_-])?(?:get|list|search|find|read|fetch|query|recall|resume|show|describe|view)(?:[_-]|$)/i

/** Classifies a failed call. */
export function failureKind(
  { call, result }: ToolUse,
  command: CommandFact | undefined,
  run: ShellRun | undefined,
): FailureKind {
  const text = result?.text ?? ''
  if (remarks().test(text.slice(0, 400))) return 'remark'
  if (command === undefined || run === undefined)
    return looks.test(`${call.kind} ${call.name}`) ? 'look' : 'step'
  const isCheck = command.purpose !== undefined
  if (!isCheck && nothingToDo.test(text.slice(-2000))) return 'look'
  if (isCheck) return notStarted.test(text.slice(-4000)) ? 'step' : 'check'
  if (looksOnly(command, run)) return 'look'
  return goalOf(command.program) === undefined ? 'step' : 'goal'
}

/** Whether a call changes nothing, however it ended: it reads, searches or checks, and can be repeated. */
export function changesNothing({ call }: ToolUse, run: ShellRun | undefined): boolean {
  if (run === undefined) return looks.test(`${call.kind} ${call.name}`)
  return (
    run.commands.length > 0 &&
    run.commands.every(
      (command) =>
        isLooker(command.words) || (purposeOf(command) !== undefined && !mendsFiles(command.words)),
    ) &&
    shellTouches(run).every(({ action }) => action === 'read')
  )
}

function looksOnly({ program }: CommandFact, { commands }: ShellRun): boolean {
  if (gitLooks.test(program)) return true
  return (
    commands.length > 0 &&
    commands.every(({ words }) => isLooker(words) || minor.test(programName(words[0] ?? '')))
  )
}
