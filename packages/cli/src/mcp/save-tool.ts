import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { bundleFieldsSchema, bundleKinds, saveBundle } from '@tenfold/core'
import { z } from 'zod'
import { rememberMade } from '../store/open-store.ts'
import type { McpContext } from './mcp-context.ts'
import { toolResult } from './tool-result.ts'

const { shape } = bundleFieldsSchema
const inputSchema = z.strictObject({
  ...shape,
  kind: shape.kind.describe('phase of the work: one bundle for each; context if none fits'),
  track: shape.track.describe('line of work, main if not given'),
  task: shape.task.describe('id of the task that bundles of several phases belong to'),
  summary: shape.summary.describe('what was done and what came of it, a few sentences'),
  nextSteps: shape.nextSteps.describe('the first one is where the next session goes on; give exact commands'),
  decisions: shape.decisions.describe('what was decided, with topic, reason and rejected alternatives'),
  files: shape.files.describe('files that matter, with status, reason and the parts that were read'),
  resumeInstructions: shape.resumeInstructions.describe('how to go on'),
  createdAt: shape.createdAt.describe('when the work ended, now if not given'),
})

const outputSchema = {
  id: z.string(),
  track: z.string(),
  kind: z.enum(bundleKinds),
  tokens: z.number().int(),
  warning: z.string().optional(),
}

export function addSaveTool(server: McpServer, { store, terminal, redactors, cwd }: McpContext): void {
  server.registerTool(
    'save',
    {
      title: 'Save a bundle',
      description:
        'Saves what you did and decided as a bundle: summary, decisions, next steps, files. Id, time and Git state are added. Call it at the end of a phase, so that the next session can resume.',
      annotations: {
        readOnlyHint: false,
        destructiveHint: false,
        idempotentHint: false,
        openWorldHint: false,
      },
      ...{ inputSchema, outputSchema },
    },
    (fields, { signal }) =>
      toolResult({ terminal, redactors }, 'save', async () => {
        rememberMade(store.place, terminal)
        const options = { cwd, redactors, signal, ignore: [store.place] }
        const { id, track, warning, bundle } = await saveBundle(await store.open(), fields, options)
        const { kind, compression } = bundle
        const value = { id, track, kind, tokens: compression.bundleTokens, warning }
        const more = warning === undefined ? '' : `\nWarning: ${warning}`
        return {
          text: `Saved ${id}, a ${kind} bundle of ${value.tokens} tokens on track ${track}.${more}`,
          value,
        }
      }),
  )
}
