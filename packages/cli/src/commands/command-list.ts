import type { Command } from 'commander'
import type { CommandContext } from '../terminal/terminal.ts'

/** Imports the code of a command, so that a run loads only the command it needs. */
type Load = () => Promise<{ addCommand(program: Command, context: CommandContext): void }>

const groups: Readonly<Record<string, readonly (readonly [name: string, summary: string, load: Load])[]>> = {
  'Compress sessions:': [
    ['compress', 'compress logs, or all logs in a folder, to bundles', () => import('./compress.ts')],
    ['batch', "summarize through a vendor's batch API for half the price", () => import('./batch.ts')],
    ['queue', 'compress logs on many machines, through a queue in Redis', () => import('./queue.ts')],
    ['sweep', 'compress sessions that the hooks missed', () => import('./sweep.ts')],
  ],
  'Resume work:': [
    ['status', 'where the work in this folder stands (the default)', () => import('./status.ts')],
    ['resume', 'print the brief for the next prompt', () => import('./resume.ts')],
    [
      'checkpoint',
      'hand over unfinished work: step, next command, Git state',
      () => import('./checkpoint.ts'),
    ],
    ['save', 'save a bundle that you or an agent wrote', () => import('./save.ts')],
    ['recall', 'search the complete logs of past sessions', () => import('./recall.ts')],
    ['list', 'list the bundles of a store', () => import('./list.ts')],
    ['show', 'print a bundle as Markdown or JSON', () => import('./show.ts')],
    ['dump', 'save and restore what a crashed run leaves behind', () => import('./dump.ts')],
  ],
  'Look into logs:': [
    ['inspect', 'show what the tokens of a log are spent on', () => import('./inspect.ts')],
    ['view', 'show a session as one HTML page', () => import('./view.ts')],
    ['replay', 'print what a run said and did, event by event', () => import('./replay.ts')],
    ['convert', "write a log as Tenfold's own lines, ATIF or Markdown", () => import('./convert.ts')],
    ['sources', 'list the agents that keep sessions on this machine', () => import('./sources.ts')],
  ],
  'Measure bundles:': [
    ['report', 'ratio, cost and retention of a store or of logs', () => import('./report.ts')],
  ],
  'Work with agents:': [
    ['install', "add tenfold's hooks to an agent, or remove them", () => import('./install.ts')],
    ['hook', 'answer a hook of an agent', () => import('./hook.ts')],
    ['mcp', 'serve the store to agents over MCP', () => import('./mcp.ts')],
    ['trust', 'let hooks use a store that came from another machine', () => import('./trust.ts')],
  ],
  'Keep the store:': [
    ['import', 'import bundles and checkpoints of other tools', () => import('./import.ts')],
    ['verify', 'check everything in a store', () => import('./verify.ts')],
    ['prune', 'remove old bundles and archived logs', () => import('./prune.ts')],
    ['share', 'let Git track a store', () => import('./share.ts')],
    ['copy', 'copy a store, for example from a folder to S3', () => import('./copy.ts')],
  ],
  'Set up:': [
    [
      'completion',
      'print a completion script for bash, zsh, fish or powershell',
      () => import('./completion.ts'),
    ],
  ],
}

export const commandGroups = Object.entries(groups)
