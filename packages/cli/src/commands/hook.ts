import { type HookAgent, hookAgentOf, hookAgents } from '../background/hooks/hook-agents.ts'
import { hook } from '../background/hooks/run-hook.ts'
import { notOneOf } from '../options/parsers.ts'
import { defineCommand } from './define-command.ts'

export const addCommand = defineCommand({
  name: 'hook',
  description:
    "Answer a hook of an agent: reads its JSON from stdin, writes the answer to stdout. 'install' sets it up.",
  arguments: [
    ['<agent>', 'agent that calls the hook', hookAgents, parseHookAgent],
    ['[event]', 'the event, for agents that do not name it in the JSON'],
  ],
  help: `
When a session ends, its log is queued and a separate process compresses it. When a turn ends, the same happens as soon
as the agent exits or the session has been idle for 10 minutes (TENFOLD_HOOK_IDLE). Before a compaction the log is
archived. A new session gets the brief; up to 2.5 seconds from its start (or TENFOLD_HOOK_WAIT, in milliseconds), less on
a busy machine, the hook waits for the bundles of earlier sessions, including killed ones, and says so if one is not
ready or another session is still running.
Before a sub-agent starts, the session is queued as at the end of a turn; when it ends, its log goes to the track
subagent-<id>.
The exit code is 0 whatever happens, or 1 if the command line is wrong; it is never 2, which would block the agent.
The command that 'install' writes exits with 0 within 4 seconds and prints nothing, even if tenfold is missing or hangs.
hooks.log in TENFOLD_HOME (default: $XDG_STATE_HOME/tenfold or ~/.local/state/tenfold) records what each hook did.
TENFOLD_HOOK_WORKER=off leaves the queue to 'tenfold sweep'. Processes with TENFOLD_HOOK=1 in their environment belong to
tenfold and are skipped.

Examples:
  tenfold hook claude-code < event.json
  tenfold install claude-code`,
  run: (_, { streams }, agent, event) => hook(streams, agent, event),
})

export function parseHookAgent(value: string): HookAgent {
  const agent = hookAgentOf(value)
  if (agent !== undefined) return agent
  throw notOneOf(hookAgents, value)
}
