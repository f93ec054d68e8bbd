import { Argument, type Command, InvalidArgumentError, Option } from 'commander'
import { type HookAgent, hookAgents, isHookAgent } from '../background/hooks/hook-agents.ts'
import { type InstallOptions, installHooks } from '../background/hooks/settings/install-hooks.ts'
import { notEmpty } from '../options/options.ts'
import type { CommandContext } from '../terminal/command-context.ts'

type GivenOptions = InstallOptions & { readonly user?: true }

export function addCommand(program: Command, context: CommandContext): void {
  program
    .command('install')
    .description(
      "Add tenfold's hooks to the settings of an agent, or remove them; everything else in the file stays.",
    )
    .addArgument(
      new Argument('<agent>', 'agent whose settings to change').choices(hookAgents).argParser(agentOf),
    )
    .addOption(
      new Option('--user', 'change your settings, for all projects (the default)').conflicts('project'),
    )
    .option('--project', 'change the settings of the project in this folder')
    .option('--uninstall', 'remove the hooks')
    .option('--dry-run', 'show what would change, and write nothing')
    .option(
      '--command <command>',
      'how the agent calls tenfold, such as "npx tenfold"',
      notEmpty('a command'),
    )
    .option('--trust', 'trust the hooks in the settings of Codex too, as its command /hooks does')
    .addHelpText('after', installHelp)
    .action(async (agent: HookAgent, options: GivenOptions, command: Command) => {
      if (options.trust && agent !== 'codex')
        command.error(`error: --trust is for codex; ${agent} needs none`)
      await installHooks(agent, options, context)
    })
}

/** `gemini-cli` is what `tenfold sources` calls it. */
function agentOf(value: string): HookAgent {
  const name = value === 'gemini-cli' ? 'gemini' : value
  if (isHookAgent(name)) return name
  throw new InvalidArgumentError(`expected one of ${hookAgents.join(', ')}, got ${JSON.stringify(value)}`)
}

const installHelp = `
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
  tenfold install claude-code --uninstall`
