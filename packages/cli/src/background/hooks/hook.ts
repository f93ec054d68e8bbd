import { type ExitCode, exitCodes } from '../../terminal/exit-codes.ts'
import type { StandardStreams } from '../../terminal/standard-stream.ts'
import { hookAgentOf, hookAgents } from './hook-agents.ts'
import { runHook } from './run-hook.ts'

/** Runs `tenfold hook <agent> [event]` without the rest of the command line. Fails only for an unknown agent. */
export async function hook(
  { stdout, stderr }: StandardStreams,
  name: string | undefined,
  event?: string,
): Promise<ExitCode> {
  const agent = hookAgentOf(name)
  if (agent === undefined) {
    stderr.write(`error: expected an agent, one of ${hookAgents.join(', ')}, got ${JSON.stringify(name)}\n`)
    // Not 2: an agent would take that as a request to block its tool call.
    return exitCodes.failed
  }
  await runHook(stdout, agent, event)
  return exitCodes.done
}
