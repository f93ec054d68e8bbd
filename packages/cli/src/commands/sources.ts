import type { Command } from 'commander'
import { storeOption } from '../options/options.ts'
import { agentOption } from '../sources/agent-option.ts'
import { listSources, type SourcesOptions } from '../sources/list-sources.ts'
import type { CommandContext } from '../terminal/command-context.ts'

export function addCommand(program: Command, context: CommandContext): void {
  program
    .command('sources')
    .description(
      'List the agents that keep sessions on this machine: how many, how large, not compressed yet, soon deleted.',
    )
    .addOption(storeOption())
    .addOption(agentOption())
    .option('--json', 'print a JSON array')
    .addHelpText('after', sourcesHelp)
    .action((options: SourcesOptions) => listSources(options, context))
}

const sourcesHelp = `
A session counts as compressed if a hook, a sweep or the given store made a bundle of it; logs are compared by digest.
aider and SpecStory logs are searched for in this folder.

Examples:
  tenfold sources
  tenfold sources --json | jq '.[] | select(.uncompressed > 0) | .agent'`
