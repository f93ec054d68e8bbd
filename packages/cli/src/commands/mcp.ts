import type { Command } from 'commander'
import { storeOption } from '../options/options.ts'
import {
  addRedactOptions,
  makeRedactors,
  type RedactOptions,
  redactFault,
} from '../options/redact-options.ts'
import type { CommandContext } from '../terminal/command-context.ts'
import { exitCodes } from '../terminal/exit-codes.ts'

interface McpOptions extends RedactOptions {
  readonly store: string
}

export function addMcpCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('mcp')
    .description(
      'Serve the store to an agent over the Model Context Protocol on stdin and stdout, until stdin ends.',
    )
    .addOption(storeOption())
    .addHelpText('after', mcpHelp)
  addRedactOptions(command)
  command.action(async (options: McpOptions) => {
    const fault = redactFault(options)
    if (fault !== undefined) command.error(`error: ${fault}`)
    const { terminal, signal } = context
    const redactors = await makeRedactors(options)
    // Only this command needs the SDK, which takes its time to load.
    const [{ serveStdio }, { mcpStore }] = await Promise.all([
      import('../mcp/serve-stdio.ts'),
      import('../mcp/mcp-store.ts'),
    ])
    if (process.stdin.isTTY)
      terminal.warn(
        'Speaks MCP on stdin and stdout: an agent starts it (tenfold mcp --help). Ctrl-D ends it.',
      )
    const shared = { store: mcpStore(options.store, terminal), terminal, redactors, cwd: process.cwd() }
    await serveStdio(program.version() ?? '', shared, signal)
    context.finish(exitCodes.done)
  })
}

const mcpHelp = `
Tools: resume, recall, checkpoint, checkpoint_latest, list, show. Resources: tenfold://bundles/ID, tenfold://tracks/TRACK/LATEST.

Examples:
  tenfold mcp
  tenfold mcp --store /srv/shop/.agents/bundles
  tenfold mcp --store s3://bucket/prefix

Where an agent registers servers:
  { "mcpServers": { "tenfold": { "command": "npx", "args": ["tenfold", "mcp", "--store", "/srv/shop/.agents/bundles"] } } }`
