import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { recall, recalledToText } from '@tenfold/core'
import { z } from 'zod'
import { bundleField, countField, maxTokensField, readOnly, textField, trackField } from './fields.ts'
import type { McpContext } from './mcp-context.ts'
import { toolResult } from './tool-result.ts'

const inputSchema = z.strictObject({
  query: textField(4000).describe(
    'event ids (e17, e10-e20), an exact path, command or error, "quoted" text that must occur, or words',
  ),
  bundle: bundleField.optional().describe('only the session of this bundle'),
  track: trackField.optional(),
  running: z.boolean().default(false).describe('also sessions that still go on, such as yours'),
  context: countField(0, 20).default(0).describe('events around each hit'),
  maxTokens: maxTokensField(200, 2000),
})

export function addRecallTool(server: McpServer, { store, terminal, redactors, began }: McpContext): void {
  server.registerTool(
    'recall',
    {
      title: 'Search the logs of past sessions',
      description:
        'Searches the whole logs of past sessions for what briefs leave out. An event id belongs to the newest bundle if none is given.',
      annotations: readOnly,
      inputSchema,
    },
    ({ query, bundle, track, running, context, maxTokens }, { signal }) =>
      toolResult({ terminal, redactors, store }, 'recall', async () => {
        const before = running ? undefined : began
        const asked = { maxTokens, context, redactors, signal }
        const found =
          bundle === undefined
            ? await recall(await store.open(), query, { ...asked, track, before, maxLogs: 50 })
            : await recall(await store.log(await store.bundle(bundle, track)), query, asked)
        return recalledToText(found)
      }),
  )
}
