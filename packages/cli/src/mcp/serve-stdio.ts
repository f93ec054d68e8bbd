import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { cleanText } from '@tenfold/core'
import { drainable } from './drain.ts'
import type { McpContext } from './mcp-context.ts'
import { createMcpServer } from './mcp-server.ts'

/**
 * Serves on stdin and stdout until stdin ends (requests received by then are still answered), `signal` is aborted, or
 * SIGTERM arrives.
 */
export async function serveStdio(version: string, context: McpContext, signal: AbortSignal): Promise<void> {
  const { terminal } = context
  const { stdin } = process
  const server = createMcpServer(version, context)
  const { transport, drained } = drainable(new StdioServerTransport())
  const closed = new Promise<void>((done) => {
    server.server.onclose = done
  })
  server.server.onerror = (error) => terminal.warn(`protocol: ${cleanText(error.message)}`)
  const close = (): void => void server.close()
  const closeWhenDrained = (): void => void drained().then(close)
  stdin.once('end', closeWhenDrained).once('close', closeWhenDrained)
  process.once('SIGTERM', close)
  signal.addEventListener('abort', close, { once: true })
  try {
    await server.connect(transport)
    await closed
  } finally {
    stdin.off('end', closeWhenDrained).off('close', closeWhenDrained)
    process.off('SIGTERM', close)
    signal.removeEventListener('abort', close)
  }
}
