import { eventIndex, type ToolCallEvent } from '../../session/event.ts'
import { commandOutcome } from '../../shell/command-outcome.ts'
import { commandProgram, decisiveCommand } from '../../shell/command-program.ts'
import { purposeOf } from '../../shell/command-purpose.ts'
import type { ShellRun } from '../../shell/shell-runs.ts'
import { isDone, type ToolUse } from '../../tools/tool-uses.ts'
import type { CommandFact } from '../facts.ts'
import { hookOutcome } from './hook-checks.ts'

/** Extracts every shell command with its outcome, in order. `later`: see `laterResults`. */
export function extractCommands(
  uses: readonly ToolUse[],
  runs: readonly ShellRun[],
  later: ReadonlyMap<ToolCallEvent, ToolUse>,
): CommandFact[] {
  const commands = runs.map((run): CommandFact => {
    const { commands, text } = run
    const { call } = run.use
    const use = later.get(call) ?? run.use
    const decisive = decisiveCommand(commands)
    const words = commands[decisive]?.words ?? []
    const program = commandProgram(words)
    const hook = /^git (?:commit|push)$/.test(program) ? hookOutcome(use) : undefined
    const purpose = hook === undefined ? purposeOf(commands[decisive]) : 'test'
    return {
      command: text,
      ...commandOutcome(use, commands, decisive, hook === undefined ? purpose : undefined),
      call: call.id,
      ...(use.result === undefined ? {} : { result: use.result.id }),
      ...(purpose === undefined ? {} : { purpose }),
      program: words.length === 0 ? (text.trim().split(/\s/, 1)[0] ?? '') : program,
    }
  })
  return withRepeatedScripts(commands, uses)
}

const script =
  /^(?:\.{0,2}\/|(?:node|bun|deno|tsx|python(?:\d(?:\.\d+)?)?|ruby|php|perl|bash|sh|zsh|pwsh) \S)/

/** A script that failed and ran again after an edit checks the work, whatever its name is. */
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
