import tab from '@bomb.sh/tab/commander'
import type { Command } from 'commander'

/** Adds `completion`, and the hidden `complete` that its scripts call. Completes what was added to the program before. */
export function addCommand(program: Command): void {
  tab(program, { completionCommandName: 'completion' })
  program.commands
    .find((command) => command.name() === 'completion')
    ?.description('Print a script that completes commands, options and their values in a shell.')
    .addHelpText('after', completionHelp)
}

const completionHelp = `
The script for bash needs the package bash-completion.

Examples:
  echo 'source <(tenfold completion bash)' >> ~/.bashrc
  echo 'source <(tenfold completion zsh)' >> ~/.zshrc
  tenfold completion fish > ~/.config/fish/completions/tenfold.fish`
