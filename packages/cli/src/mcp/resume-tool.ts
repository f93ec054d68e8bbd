import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { readGit, resume } from '@tenfold/core'
import { z } from 'zod'
import { bundleField, maxTokensField, readOnly, taskField, trackField } from './fields.ts'
import type { McpContext } from './mcp-context.ts'
import { toolResult } from './tool-result.ts'

const inputSchema = z.strictObject({
  track: trackField
    .optional()
    .describe('line of work; the current track of the checkpoints if not given, otherwise main'),
  task: taskField.optional().describe('newest bundle of this task, of any phase'),
  bundle: bundleField.optional().describe('instead of the newest: an id, a session, a task or a track'),
  maxTokens: maxTokensField(100, 4000),
  verify: z
    .boolean()
    .optional()
    .describe('compare with the repository as it is now (default: if there is one)'),
})

export function addResumeTool(server: McpServer, { store, terminal, redactors, cwd }: McpContext): void {
  server.registerTool(
    'resume',
    {
      title: 'Resume past work',
      description:
        'Brief of the past session to continue from: resume point, next command, what no longer holds, constraints, decisions, files. Call it on a cold start.',
      annotations: readOnly,
      inputSchema,
    },
    ({ track, task, bundle, maxTokens, verify }, { signal }) =>
      toolResult({ terminal, redactors }, 'resume', async () => {
        const chosen = bundle === undefined ? undefined : await store.bundle(bundle, track)
        const ignore = [store.place]
        const git = verify === false ? undefined : await readGit(cwd, { signal, ignore })
        const compare = verify ?? git?.state === 'repository'
        const { text } = await resume({
          store: await store.open(),
          track,
          task,
          bundle: chosen,
          maxTokens,
          signal,
          ignore,
          verify: compare && cwd,
          git,
        })
        return text
      }),
  )
}
