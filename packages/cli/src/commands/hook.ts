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
When a session ends, its log is queued and compressed by a separate process. When a turn ends, the same happens once its
agent has ended, or the session has been quiet for 10 minutes (TENFOLD_HOOK_IDLE). Before a compaction the log is
archived. A new session gets the brief; it waits up to 2.5 seconds (TENFOLD_HOOK_WAIT, in milliseconds) for the bundles of
the sessions before it, also of those that were killed, and says so if one does not come or if another session still
runs. Before a sub-agent the session is queued as at the end of a turn; when the sub-agent ends, its log goes to the
track subagent-<id>.
The exit code is 0 no matter what happens, or 1 if the command line is wrong; it is never 2, which would block the agent.
The command that 'install' writes ends with 0 within 4 seconds, without a word, even if tenfold is missing or hangs.
hooks.log below TENFOLD_HOME, which is $XDG_STATE_HOME/tenfold or ~/.local/state/tenfold, records what each hook did.
TENFOLD_HOOK_WORKER=off leaves the queue to 'tenfold sweep'. Processes with TENFOLD_HOOK=1 in their environment are
tenfold's own and are skipped.

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
