import { hookAgents } from '../background/hooks/hook-agents.ts'
import { installHooks } from '../background/hooks/settings/install-hooks.ts'
import { option } from '../options/option.ts'
import { notEmpty } from '../options/parsers.ts'
import { defineCommand } from './define-command.ts'
import { parseHookAgent } from './hook.ts'

export const addCommand = defineCommand({
  name: 'install',
  description:
    "Add tenfold's hooks to the settings of an agent, or remove them; everything else in the file stays.",
  arguments: [['<agent>', 'agent whose settings to change', hookAgents, parseHookAgent]],
  options: [
    option('--user', 'change your settings, for all projects (the default)', { conflicts: 'project' }),
    option('--project', 'change the settings of the project in this folder'),
    option('--uninstall', 'remove the hooks'),
    option('--dry-run', 'show what would change, and write nothing'),
    option('--command <command>', 'how the agent calls tenfold, such as "npx tenfold"', {
      parse: notEmpty('a command'),
    }),
    option('--trust', 'trust the hooks in the settings of Codex too, as its command /hooks does'),
  ],
  help: `
The hooks are added to ~/.claude/settings.json, ~/.codex/hooks.json, ~/.cursor/hooks.json, ~/.gemini/settings.json or
~/.qwen/settings.json; with --project, to the same path below this folder. OpenCode and Cline get a plugin, pi an
extension, Copilot CLI a hook file of its own. 'tenfold hook --help' explains what the hooks do.
The hooks call 'tenfold', so install it to stay: npm install -g tenfold. From the cache of npx or the packages of one
project nothing is installed without --command or --project.
Codex runs hooks only once they are trusted, in its command /hooks or with --trust; its option
--dangerously-bypass-hook-trust runs all hooks of one session without that.

Examples:
  tenfold install claude-code --dry-run
  tenfold install codex --trust
  tenfold install cursor --project
  tenfold install claude-code --uninstall`,
  fault: ({ trust }, agent) =>
    trust && agent !== 'codex' ? `--trust is for codex; ${agent} needs none` : undefined,
  run: (options, context, agent) => installHooks(agent, options, context),
})
