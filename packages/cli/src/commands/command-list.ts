import type { Command } from 'commander'
import type { CommandContext } from '../terminal/command-context.ts'

/** Adds a command with its options, its help and what it does. */
type AddCommand = (program: Command, context: CommandContext) => void

/** A command of the program. `load` imports its code, so that a run loads only the command that it is asked for. */
export interface CommandEntry {
  readonly name: string
  /** One line of the list that `tenfold --help` prints. */
  readonly summary: string
  readonly load: () => Promise<AddCommand>
}

/** All commands under the headings that `tenfold --help` prints. */
export const commandGroups: readonly {
  readonly title: string
  readonly commands: readonly CommandEntry[]
}[] = [
  {
    title: 'Compress sessions:',
    commands: [
      {
        name: 'compress',
        summary: 'compress logs, or all logs in a folder, to bundles',
        load: async () => (await import('./compress.ts')).addCompressCommand,
      },
      {
        name: 'batch',
        summary: "summarize through a vendor's batch API for half the price",
        load: async () => (await import('./batch.ts')).addBatchCommand,
      },
      {
        name: 'queue',
        summary: 'compress logs on many machines, through a queue in Redis',
        load: async () => (await import('./queue.ts')).addQueueCommand,
      },
      {
        name: 'sweep',
        summary: 'compress what the hooks missed',
        load: async () => (await import('./sweep.ts')).addSweepCommand,
      },
    ],
  },
  {
    title: 'Resume work:',
    commands: [
      {
        name: 'status',
        summary: 'where the work in this folder stands (the default)',
        load: async () => (await import('./status.ts')).addStatusCommand,
      },
      {
        name: 'resume',
        summary: 'print the brief for the next prompt',
        load: async () => (await import('./resume.ts')).addResumeCommand,
      },
      {
        name: 'checkpoint',
        summary: 'hand work over midway: step, next command, Git state',
        load: async () => (await import('./checkpoint.ts')).addCheckpointCommand,
      },
      {
        name: 'save',
        summary: 'save a bundle that you or an agent wrote',
        load: async () => (await import('./save.ts')).addSaveCommand,
      },
      {
        name: 'recall',
        summary: 'search the whole log behind a bundle',
        load: async () => (await import('./recall.ts')).addRecallCommand,
      },
      {
        name: 'list',
        summary: 'list the bundles of a store',
        load: async () => (await import('./list.ts')).addListCommand,
      },
      {
        name: 'show',
        summary: 'print a bundle as Markdown or JSON',
        load: async () => (await import('./show.ts')).addShowCommand,
      },
      {
        name: 'dump',
        summary: 'keep and restore what a halted run leaves behind',
        load: async () => (await import('./dump.ts')).addDumpCommand,
      },
    ],
  },
  {
    title: 'Look into logs:',
    commands: [
      {
        name: 'inspect',
        summary: 'show where the tokens of a log are',
        load: async () => (await import('./inspect.ts')).addInspectCommand,
      },
      {
        name: 'view',
        summary: 'show a session as one HTML page',
        load: async () => (await import('./view.ts')).addViewCommand,
      },
      {
        name: 'replay',
        summary: 'print what a run said and did, event by event',
        load: async () => (await import('./replay.ts')).addReplayCommand,
      },
      {
        name: 'convert',
        summary: "write a log as Tenfold's own lines, ATIF or Markdown",
        load: async () => (await import('./convert.ts')).addConvertCommand,
      },
      {
        name: 'sources',
        summary: 'list the agents that keep sessions on this machine',
        load: async () => (await import('./sources.ts')).addSourcesCommand,
      },
    ],
  },
  {
    title: 'Measure bundles:',
    commands: [
      {
        name: 'report',
        summary: 'ratios, cost and what is kept, over a store or logs',
        load: async () => (await import('./report.ts')).addReportCommand,
      },
    ],
  },
  {
    title: 'Work with agents:',
    commands: [
      {
        name: 'install',
        summary: "add tenfold's hooks to an agent, or remove them",
        load: async () => (await import('./install.ts')).addInstallCommand,
      },
      {
        name: 'hook',
        summary: 'answer a hook of an agent',
        load: async () => (await import('./hook.ts')).addHookCommand,
      },
      {
        name: 'mcp',
        summary: 'serve the store to an agent over MCP',
        load: async () => (await import('./mcp.ts')).addMcpCommand,
      },
      {
        name: 'trust',
        summary: 'let hooks give briefs from a store of another machine',
        load: async () => (await import('./trust.ts')).addTrustCommand,
      },
    ],
  },
  {
    title: 'Keep the store:',
    commands: [
      {
        name: 'import',
        summary: 'bring bundles and checkpoints of other tools',
        load: async () => (await import('./import.ts')).addImportCommand,
      },
      {
        name: 'verify',
        summary: 'check everything in a store',
        load: async () => (await import('./verify.ts')).addVerifyCommand,
      },
      {
        name: 'prune',
        summary: 'move old bundles and archived logs away',
        load: async () => (await import('./prune.ts')).addPruneCommand,
      },
      {
        name: 'copy',
        summary: 'copy a store, for example from a folder to S3',
        load: async () => (await import('./copy.ts')).addCopyCommand,
      },
    ],
  },
  {
    title: 'Set up:',
    commands: [
      {
        name: 'completion',
        summary: 'print a completion script for bash, zsh, fish or powershell',
        load: async () => (await import('./completion.ts')).addCompletionCommand,
      },
    ],
  },
]
