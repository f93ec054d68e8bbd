import type { Command } from 'commander'
import type { CommandContext } from '../terminal/terminal.ts'

interface CommandModule {
  readonly addCommand: (program: Command, context: CommandContext) => void
}

/** `load` imports its code, so that a run loads only the command that it is asked for. */
export interface CommandEntry {
  readonly name: string
  readonly summary: string
  readonly load: () => Promise<CommandModule>
}

export const commandGroups: readonly {
  readonly title: string
  readonly commands: readonly CommandEntry[]
}[] = [
  {
    title: 'Compress sessions:',
    commands: [
      entry('compress', 'compress logs, or all logs in a folder, to bundles', () => import('./compress.ts')),
      entry('batch', "summarize through a vendor's batch API for half the price", () => import('./batch.ts')),
      entry('queue', 'compress logs on many machines, through a queue in Redis', () => import('./queue.ts')),
      entry('sweep', 'compress sessions that the hooks missed', () => import('./sweep.ts')),
    ],
  },
  {
    title: 'Resume work:',
    commands: [
      entry('status', 'where the work in this folder stands (the default)', () => import('./status.ts')),
      entry('resume', 'print the brief for the next prompt', () => import('./resume.ts')),
      entry(
        'checkpoint',
        'hand over unfinished work: step, next command, Git state',
        () => import('./checkpoint.ts'),
      ),
      entry('save', 'save a bundle that you or an agent wrote', () => import('./save.ts')),
      entry('recall', 'search the complete logs of past sessions', () => import('./recall.ts')),
      entry('list', 'list the bundles of a store', () => import('./list.ts')),
      entry('show', 'print a bundle as Markdown or JSON', () => import('./show.ts')),
      entry('dump', 'save and restore what a crashed run leaves behind', () => import('./dump.ts')),
    ],
  },
  {
    title: 'Look into logs:',
    commands: [
      entry('inspect', 'show what the tokens of a log are spent on', () => import('./inspect.ts')),
      entry('view', 'show a session as one HTML page', () => import('./view.ts')),
      entry('replay', 'print what a run said and did, event by event', () => import('./replay.ts')),
      entry('convert', "write a log as Tenfold's own lines, ATIF or Markdown", () => import('./convert.ts')),
      entry('sources', 'list the agents that keep sessions on this machine', () => import('./sources.ts')),
    ],
  },
  {
    title: 'Measure bundles:',
    commands: [
      entry('report', 'ratio, cost and retention of a store or of logs', () => import('./report.ts')),
    ],
  },
  {
    title: 'Work with agents:',
    commands: [
      entry('install', "add tenfold's hooks to an agent, or remove them", () => import('./install.ts')),
      entry('hook', 'answer a hook of an agent', () => import('./hook.ts')),
      entry('mcp', 'serve the store to agents over MCP', () => import('./mcp.ts')),
      entry('trust', 'let hooks use a store that came from another machine', () => import('./trust.ts')),
    ],
  },
  {
    title: 'Keep the store:',
    commands: [
      entry('import', 'import bundles and checkpoints of other tools', () => import('./import.ts')),
      entry('verify', 'check everything in a store', () => import('./verify.ts')),
      entry('prune', 'remove old bundles and archived logs', () => import('./prune.ts')),
      entry('share', 'let Git track a store', () => import('./share.ts')),
      entry('copy', 'copy a store, for example from a folder to S3', () => import('./copy.ts')),
    ],
  },
  {
    title: 'Set up:',
    commands: [
      entry(
        'completion',
        'print a completion script for bash, zsh, fish or powershell',
        () => import('./completion.ts'),
      ),
    ],
  },
]

function entry(name: string, summary: string, load: CommandEntry['load']): CommandEntry {
  return { name, summary, load }
}
