import { laterResults } from './background-results.ts'
import { commandOutcome } from './command-outcome.ts'
import { commandProgram, decisiveCommand } from './command-program.ts'
import { commandPurpose } from './command-purpose.ts'
import type { CommandFact } from './facts.ts'
import type { ShellRun } from './shell-runs.ts'
import type { ToolUse } from './tool-uses.ts'

/** Every shell command with what became of it, in order. */
export function extractCommands(uses: readonly ToolUse[], runs: readonly ShellRun[]): CommandFact[] {
  const later = laterResults(uses)
  return runs.map((run): CommandFact => {
    const { commands, text } = run
    const { call } = run.use
    const use = later.get(call) ?? run.use
    const decisive = decisiveCommand(commands)
    const words = commands[decisive]?.words ?? []
    const purpose = commandPurpose(words)
    return {
      command: text,
      ...commandOutcome(use, commands, decisive, purpose),
      call: call.id,
      ...(use.result === undefined ? {} : { result: use.result.id }),
      ...(purpose === undefined ? {} : { purpose }),
      program: words.length === 0 ? (text.trim().split(/\s/, 1)[0] ?? '') : commandProgram(words),
    }
  })
}
