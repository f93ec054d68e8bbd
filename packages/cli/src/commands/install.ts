import { Argument, type Command, Option } from 'commander'
import { hookAgents, isHookAgent } from '../background/hooks/hook-agents.ts'
import { type InstallOptions, installHooks } from '../background/hooks/settings/install-hooks.ts'
import { notEmpty } from '../options/options.ts'
import type { CommandContext } from '../terminal/command-context.ts'
import { exitCodes } from '../terminal/exit-codes.ts'

type GivenOptions = InstallOptions & { readonly user?: true }

export function addInstallCommand(program: Command, context: CommandContext): void {
  program
    .command('install')
    .description(
      "Put tenfold's hooks into the settings of an agent, or take them out; all else in them stays.",
    )
    .addArgument(new Argument('<agent>', 'whose settings').choices(hookAgents))
    .addOption(new Option('--user', 'your settings, for all projects (the default)').conflicts('project'))
    .option('--project', 'the settings of the project in this folder')
    .option('--uninstall', 'take the hooks out')
    .option('--dry-run', 'show what would change, and write nothing')
    .addOption(
      new Option('--command <command>', 'how the agent calls tenfold, such as "npx tenfold"').argParser(
        notEmpty('a command'),
      ),
    )
    .addHelpText('after', installHelp)
    .action(async (agent: string, options: GivenOptions) => {
      if (isHookAgent(agent)) await installHooks(agent, options, context)
      context.finish(exitCodes.done)
    })
}

const installHelp = `
The hooks stand in ~/.claude/settings.json, ~/.codex/hooks.json, ~/.cursor/hooks.json or ~/.gemini/settings.json, with
--project in the same place below this folder. 'tenfold hook --help' says what they do.

Examples:
  tenfold install claude-code --dry-run
  tenfold install codex
  tenfold install cursor --project
  tenfold install claude-code --uninstall`
