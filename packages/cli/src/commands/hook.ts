import { Argument, type Command } from 'commander'
import { hook } from '../background/hooks/hook.ts'
import { hookAgents } from '../background/hooks/hook-agents.ts'
import type { CommandContext } from '../terminal/command-context.ts'

export function addHookCommand(program: Command, context: CommandContext): void {
  program
    .command('hook')
    .description("Answer a hook of an agent: its JSON on stdin, the answer on stdout. 'install' sets it up.")
    .addArgument(new Argument('<agent>', 'whose hook it is').choices(hookAgents))
    .addHelpText('after', hookHelp)
    .action(async (agent: string) => context.finish(await hook(agent)))
}

const hookHelp = `
At the end of a session its log is queued and compressed by a process of its own; at the end of a turn once the session was
quiet for 10 minutes (TENFOLD_HOOK_IDLE). Before a compaction the log is archived. A session that starts gets the brief.
The end of a sub-agent gives a bundle on the track subagent-<id>; before one begins a checkpoint is saved.
The process ends with 0 whatever happens, with 1 where it is called in a wrong way, and never with 2, which would stop the
agent; what it did stands in hooks.log below TENFOLD_HOME, which is
$XDG_STATE_HOME/tenfold or ~/.local/state/tenfold. TENFOLD_HOOK_WORKER=off leaves the queue to 'tenfold sweep'.
Processes with TENFOLD_HOOK=1 in their environment are tenfold's own, and skipped.

Examples:
  tenfold hook claude-code < event.json
  tenfold install claude-code`
