import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { readGit, resume } from '@tenfold/core'
import { z } from 'zod'
import { addedLine } from '../store/store-origin.ts'
import { bundleField, maxTokensField, readOnly, taskField, trackField } from './fields.ts'
import type { McpContext } from './mcp-context.ts'
import { toolResult } from './tool-result.ts'

const inputSchema = z.strictObject({
  track: trackField
    .optional()
    .describe('line of work; if not given, that of the current checkpoint, or main'),
  task: taskField.optional().describe('newest bundle of this task'),
  bundle: bundleField.optional().describe('instead of the newest: an id, a session, task, track or kind'),
  maxTokens: maxTokensField(100, 4000),
})

export function addResumeTool(server: McpServer, { store, terminal, redactors, cwd }: McpContext): void {
  server.registerTool(
    'resume',
    {
      title: 'Resume past work',
      description:
        'Brief of the past work to continue from: next step, what no longer holds, constraints, decisions, files. Call it on a cold start.',
      annotations: readOnly,
      inputSchema,
    },
    ({ track, task, bundle, maxTokens }, { signal }) =>
      toolResult({ terminal, redactors, store }, 'resume', async () => {
        const chosen = bundle === undefined ? undefined : await store.bundle(bundle, track)
        const opened = await store.open()
        const ignore = [store.place]
        const git = await readGit(cwd, { signal, ignore })
        const { text } = await resume({
          store: opened,
          origin: (found) => addedLine(opened, store.place, found),
          track,
          task,
          bundle: chosen,
          maxTokens,
          signal,
          ignore,
          verify: git.state === 'repository' && cwd,
          git,
        })
        return text
      }),
  )
}
