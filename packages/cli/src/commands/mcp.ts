import { makeRedactors, redactOptions } from '../options/log-options.ts'
import { storeOption } from '../options/options.ts'
import { ownVersion } from '../own-package.ts'
import { openStore } from '../store/open-store.ts'
import { defineCommand } from './define-command.ts'

export const addCommand = defineCommand({
  name: 'mcp',
  description:
    'Serve the store to an agent over the Model Context Protocol (MCP) on stdin and stdout, until stdin ends.',
  options: [storeOption, ...redactOptions],
  help: `
Tools: resume, recall, checkpoint, checkpoint_latest, save, list, show. Resources: tenfold://bundles/ID, tenfold://tracks/TRACK/LATEST.

Examples:
  tenfold mcp
  tenfold mcp --store /srv/shop/.agents/bundles
  tenfold mcp --store s3://bucket/prefix

To register the server with an agent:
  { "mcpServers": { "tenfold": { "command": "npx", "args": ["tenfold", "mcp", "--store", "/srv/shop/.agents/bundles"] } } }`,
  async run(options, { terminal, signal }) {
    const redactors = await makeRedactors(options)
    // Only this command uses the SDK, which is slow to load.
    const { serveStdio } = await import('../mcp/serve-stdio.ts')
    if (process.stdin.isTTY)
      terminal.warn(
        'This server speaks MCP on stdin and stdout, and is usually started by an agent (tenfold mcp --help). Press Ctrl-D to stop it.',
      )
    const place = options.store
    const opened = { place, store: await openStore(place, terminal) }
    const context = { ...opened, terminal, redactors, cwd: process.cwd(), began: new Date() }
    return await serveStdio(ownVersion(), context, signal)
  },
})
