import { type ExitCode, exitCodes } from '../../terminal/exit-codes.ts'
import { hookAgents, isHookAgent } from './hook-agents.ts'
import { runHook } from './run-hook.ts'

/** `tenfold hook <agent>` without the rest of the command line. An agent that is not known is the only failure. */
export async function hook(agent: string | undefined): Promise<ExitCode> {
  if (!isHookAgent(agent)) {
    process.stderr.write(
      `error: expected an agent, one of ${hookAgents.join(', ')}, got ${JSON.stringify(agent)}\n`,
    )
    // Not 2: to an agent that means that its tool call is to be blocked.
    return exitCodes.failed
  }
  await runHook(agent)
  return exitCodes.done
}
