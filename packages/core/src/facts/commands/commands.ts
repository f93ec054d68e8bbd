import {
  eventIndex,
  type SessionEvent,
  type ToolCallEvent,
  type ToolResultEvent,
  type UserEvent,
} from '../../session/event.ts'
import * as json from '../../session/json.ts'
import { known } from '../../session/known.ts'
import type { Steps } from '../../session/pauses.ts'
import { commandOutcome } from '../../shell/command-outcome.ts'
import { commandProgram, decisiveCommand } from '../../shell/command-program.ts'
import { purposeOf } from '../../shell/command-purpose.ts'
import type { ShellRun } from '../../shell/shell-runs.ts'
import { statedOutcome } from '../../shell/stated-outcome.ts'
import { isDone, type ToolUse, textAt } from '../../tools/tool-uses.ts'
import type { CommandFact } from '../facts.ts'

/** Extracts every shell command with its outcome, in order; can pause at each. For `later` see `laterResults`. */
export function* commandSteps(
  uses: readonly ToolUse[],
  runs: readonly ShellRun[],
  later: ReadonlyMap<ToolCallEvent, ToolUse>,
): Steps<CommandFact[]> {
  const facts: CommandFact[] = []
  for (const run of runs) {
    const { commands, text } = run
    const { call } = run.use
    // Aider commits itself.
    if (call.name === 'commit') continue
    const use = later.get(call) ?? run.use
    const decisive = decisiveCommand(commands)
    const words = commands[decisive]?.words ?? []
    const program = commandProgram(words)
    const hook = /^git (?:commit|push)$/.test(program) ? hookOutcome(use) : undefined
    const purpose = hook === undefined ? purposeOf(commands[decisive]) : 'test'
    facts.push({
      command: text,
      ...commandOutcome(use, commands, decisive, hook === undefined ? purpose : undefined),
      ...(hook === 'error' ? { status: hook } : {}),
      call: call.id,
      ...known({ result: use.result?.id, purpose }),
      program: words.length === 0 ? (text.trim().split(/\s/, 1)[0] ?? '') : program,
    })
    yield
  }
  return withRepeatedScripts(facts, uses)
}

const script =
  /^(?:\.{0,2}\/|(?:node|bun|deno|tsx|python(?:\d(?:\.\d+)?)?|ruby|php|perl|bash|sh|zsh|pwsh) \S)/

/** A script that failed and ran again after an edit is a check, whatever its name. */
function withRepeatedScripts(commands: readonly CommandFact[], uses: readonly ToolUse[]): CommandFact[] {
  const edits = uses
    .filter((use) => use.call.kind === 'edit' && isDone(use))
    .map(({ call }) => eventIndex(call.id))
  const failed = new Map<string, number>()
  const repeated = new Set<string>()
  for (const { command, program, purpose, status, call } of commands) {
    if (purpose !== undefined || !script.test(program)) continue
    const before = failed.get(command)
    const at = eventIndex(call)
    if (before !== undefined && edits.some((edit) => edit > before && edit < at)) repeated.add(command)
    if (status === 'error') failed.set(command, at)
  }
  return commands.map((fact) =>
    fact.purpose === undefined && repeated.has(fact.command) ? { ...fact, purpose: 'test' } : fact,
  )
}

// Lines printed by hook runners. `$ tsc --noEmit` is a script that one of them echoes.
const hookLine =
  /^(?:husky - |lefthook|🥊|✔ Preparing lint-staged|\[STARTED\]|→ lint-staged|pre-(?:commit|push)\b.{0,60}(?:hook|failed|passed)|.{1,120}\.{3,}(?:Passed|Failed)$|\$ (?:\S+ )?(?:tsc|eslint|biome|prettier|vitest|jest|bun test|npm (?:run|test)|ruff|mypy|pytest|go |cargo )|Running (?:pre-commit|pre-push) )/m

/** Messages of hooks and git wrappers about a command that they stopped. */
export const rejected = /^(?:husky - .{1,40} (?:failed|exited)\b|FAILED: git (?:commit|push)$)/m

/** Messages of git after the hooks passed. */
export const nothingToDo =
  /nothing to commit|nothing added to commit|no changes added to commit|Everything up-to-date/

/**
 * Determines how the checks of a commit or push hook ended, from the output of `git commit` or `git push`; `undefined`
 * if it shows none, or nothing was left to commit or push.
 */
function hookOutcome({ outcome, result }: ToolUse): 'ok' | 'error' | undefined {
  const text = result?.text ?? ''
  if (!hookLine.test(text.slice(-40_000)) || nothingToDo.test(text.slice(-2000))) return undefined
  // Git's own last lines do not belong to the hook.
  const printed = text.replace(/^(?:fatal|error|hint|To |\[[^\]\n]{1,200} [\da-f]{7,40}\]).{0,500}$/gm, '')
  // Some wrappers of git report the failure of a hook, and end with 0.
  if (outcome === 'ok') return rejected.test(text.slice(-40_000)) ? 'error' : 'ok'
  return outcome === 'error' && statedOutcome(printed) === 'error' ? 'error' : undefined
}

/**
 * Returns commands that continued in the background, by their call, with the outcome that a later poll reported;
 * `unknown` without one. Supports Claude Code's `run_in_background` with BashOutput, Codex's exec_command with
 * write_stdin, and Copilot's shells with read_bash and read_powershell.
 */
export function laterResults(uses: readonly ToolUse[]): ReadonlyMap<ToolCallEvent, ToolUse> {
  const found = new Map<ToolCallEvent, ToolUse>()
  const byTask = new Map<string, ToolUse>()
  const begin = (use: ToolUse, task: string | undefined) => {
    found.set(use.call, { ...use, outcome: 'unknown' })
    if (task !== undefined) byTask.set(task, use)
  }
  const end = (task: string, result: ToolResultEvent, outcome: 'ok' | 'error' | undefined) => {
    const started = byTask.get(task)
    if (started && outcome) found.set(started.call, { ...started, result, outcome })
  }
  for (const use of uses) {
    const { call, result } = use
    if (result === undefined) continue
    const input = json.fields(call.input)
    const runs = call.kind === 'execute' && isDone(use)
    if (runs && input.run_in_background === true)
      begin(use, /\bID: ?([\w-]+)/.exec(result.text.slice(0, 300))?.[1])
    else if (runs && leftShell(result) !== undefined) begin(use, `shell ${leftShell(result)}`)
    else if (/^read_(?:bash|powershell)$/.test(call.name))
      end(`shell ${textAt(input, 'shellId', 'sessionId')}`, result, exitOutcome(result))
    else if (/^(?:BashOutput|TaskOutput)$/.test(call.name))
      end(textAt(input, 'bash_id', 'task_id', 'shell_id') ?? '', result, pollOutcome(result.text))
    else if (call.name === 'exec_command' && runningIn(result) !== undefined)
      begin(use, `session ${runningIn(result)}`)
    else if (call.name === 'write_stdin') end(`session ${input.session_id}`, result, exitOutcome(result))
  }
  return found
}

function exitOutcome({ exitCode }: ToolResultEvent): 'ok' | 'error' | undefined {
  return exitCode === undefined ? undefined : exitCode === 0 ? 'ok' : 'error'
}

function runningIn({ text }: ToolResultEvent): string | undefined {
  return /^Process running with session ID (\d{1,10})$/m.exec(text.slice(0, 100))?.[1]
}

function leftShell({ text }: ToolResultEvent): string | undefined {
  return /<command (?:with shellId: ([\w-]{1,100}) is still running|started in background with shellId: ([\w-]{1,100})>)/
    .exec(text.slice(-400))
    ?.slice(1)
    .find((id) => id !== undefined)
}

function pollOutcome(text: string): 'ok' | 'error' | undefined {
  const status = /<status>(\w+)<\/status>/.exec(text.slice(0, 2000))?.[1]
  return status === 'completed' ? 'ok' : status === 'failed' ? 'error' : undefined
}

// Terminal prompts: `$ `, `❯ `, `user@host:~/a$ `, `PS C:\\a> `.
const prompt =
  /^(?:[\w.-]{1,60}@[\w.-]{1,60}[: ][^$#%\n]{0,200}|PS [A-Za-z]:\\[^>\n]{0,200}|\([\w.-]{1,60}\) )?[$❯➜%>] ?(?=\S)/
const command = /^(?:\.{0,2}\/)?[A-Za-z_][\w./+-]*(?:\s|$)/
const maxPasteLength = 200_000

/**
 * Adds the commands that the user ran and pasted with their output, as tool uses in their place, because a failure that
 * the user saw counts like one that the agent saw.
 */
export function withPastedRuns(events: readonly SessionEvent[], uses: readonly ToolUse[]): ToolUse[] {
  const pasted = events.flatMap((event) =>
    event.type === 'user' && event.copied !== true && event.text.length <= maxPasteLength
      ? runsIn(event)
      : [],
  )
  if (pasted.length === 0) return [...uses]
  const place = ({ call }: ToolUse) => eventIndex(call.id)
  return [...uses, ...pasted].sort((a, b) => place(a) - place(b))
}

function runsIn(event: UserEvent): ToolUse[] {
  const lines = event.text.split('\n')
  const starts = lines.flatMap((line, index) => (isPrompted(line) ? [index] : []))
  for (const [place, start] of [...starts.entries()].reverse()) {
    const end = starts[place + 1] ?? lines.length
    const text = lines
      .slice(start + 1, end)
      .filter((line) => !/^[$❯➜%>]?\s*$/.test(line))
      .join('\n')
    const typed = (lines[start] ?? '').replace(prompt, '').trim()
    if (text.trim() !== '') return [useOf(event, typed, text)]
  }
  return []
}

function isPrompted(line: string): boolean {
  if (line.length > 1000) return false
  const found = prompt.exec(line)?.[0]
  // A quoted line begins with the same sign as a prompt.
  return found !== undefined && !/^>/.test(found) && command.test(line.slice(found.length))
}

function useOf(event: UserEvent, typed: string, text: string): ToolUse {
  const { id, agent, turn, source } = event
  const shared = { id, agent, turn, source, callId: `pasted in ${id}` }
  const call: ToolCallEvent = {
    ...shared,
    type: 'tool_call',
    name: 'terminal',
    kind: 'execute',
    input: { command: typed },
  }
  const outcome = statedOutcome(text) ?? 'unknown'
  return { call, result: { ...shared, type: 'tool_result', status: outcome, text }, outcome }
}
