import type { SessionEvent, ToolResultEvent } from '../session/event.ts'
import { joinToolUses } from '../tools/tool-uses.ts'
import { commandOutcome } from './command-outcome.ts'
import { decisiveCommand } from './command-program.ts'
import { purposeOf } from './command-purpose.ts'
import { readShellRuns, type ShellRun } from './shell-runs.ts'

/**
 * Returns the events, with the status of shell commands without an exit code derived from their output: `unknown` if
 * the output does not state it. If the format marks each failed command, only those it left `unknown` are examined. An
 * exit code that says no, as that of a search without a hit, is not an error in any format.
 */
export function settleResults(
  events: readonly SessionEvent[],
  format: string,
  marksFailedCommands: boolean,
): SessionEvent[] {
  const isOpen = ({ status, exitCode }: ToolResultEvent) =>
    status === 'error' ||
    (exitCode === undefined && (status === 'unknown' || (status === 'ok' && !marksFailedCommands)))
  if (!events.some((event) => event.type === 'tool_result' && isOpen(event))) return [...events]
  const uses = joinToolUses(events, true).filter(({ result }) => result !== undefined && isOpen(result))
  const settled = new Map<SessionEvent | undefined, ToolResultEvent['status']>(
    readShellRuns(uses, format).map((run) => [run.use.result, statedStatus(run)]),
  )
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
