import type { Command } from 'commander'
import { storeOption } from '../options/options.ts'
import {
  addRedactOptions,
  makeRedactors,
  type RedactOptions,
  redactFault,
} from '../options/redact-options.ts'
import type { CommandContext } from '../terminal/command-context.ts'

interface McpOptions extends RedactOptions {
  readonly store: string
}

export function addCommand(program: Command, context: CommandContext): void {
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
    // Only this command needs the SDK, which is slow to load.
    const [{ serveStdio }, { mcpStore }] = await Promise.all([
      import('../mcp/serve-stdio.ts'),
      import('../mcp/mcp-store.ts'),
    ])
    if (process.stdin.isTTY)
      terminal.warn(
        'This server speaks MCP on stdin and stdout and is meant to be started by an agent (tenfold mcp --help). Press Ctrl-D to end it.',
      )
    const shared = {
      store: mcpStore(options.store, terminal),
      terminal,
      redactors,
      cwd: process.cwd(),
      began: new Date(),
    }
    await serveStdio(program.version() ?? '', shared, signal)
  })
}

const mcpHelp = `
Tools: resume, recall, checkpoint, checkpoint_latest, save, list, show. Resources: tenfold://bundles/ID, tenfold://tracks/TRACK/LATEST.

Examples:
  tenfold mcp
  tenfold mcp --store /srv/shop/.agents/bundles
  tenfold mcp --store s3://bucket/prefix

To register the server with an agent:
  { "mcpServers": { "tenfold": { "command": "npx", "args": ["tenfold", "mcp", "--store", "/srv/shop/.agents/bundles"] } } }`
