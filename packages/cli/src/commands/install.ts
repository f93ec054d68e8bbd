import { hookAgents } from '../background/hooks/hook-agents.ts'
import { installHooks, installOptions } from '../background/hooks/settings/install-hooks.ts'
import { defineCommand } from './define-command.ts'
import { parseHookAgent } from './hook.ts'

export const addCommand = defineCommand({
  name: 'install',
  description:
    "Add tenfold's hooks to the settings of an agent, or remove them; everything else in the file stays.",
  arguments: [['<agent>', 'agent whose settings to change', hookAgents, parseHookAgent]],
  options: installOptions,
  help: `
The hooks go into ~/.claude/settings.json, ~/.codex/hooks.json, ~/.cursor/hooks.json, ~/.gemini/settings.json or
~/.qwen/settings.json; with --project, into the same path below this folder. OpenCode and Cline get a plugin, pi an
extension, Copilot CLI its own hook file. 'tenfold hook --help' explains what the hooks do.
The hooks call 'tenfold', so install it permanently: npm install -g tenfold. A copy in the npx cache or in the packages
of one project is refused without --command or --project.
Codex runs hooks only after you trust them, in its command /hooks or with --trust; its option
--dangerously-bypass-hook-trust skips that for one session.

Examples:
  tenfold install claude-code --dry-run
  tenfold install codex --trust
  tenfold install cursor --project
  tenfold install claude-code --uninstall`,
  fault: ({ trust }, agent) =>
    trust && agent !== 'codex' ? `--trust is for codex; ${agent} needs none` : undefined,
  run: (options, context, agent) => installHooks(agent, options, context),
})
