import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { eventTypes, recall, recallAll, recalledToText } from '@tenfold/core'
import { z } from 'zod'
import { bundleField, maxTokensField, readOnly, taskField, textField, trackField } from './fields.ts'
import type { McpContext } from './mcp-context.ts'
import { toolResult } from './tool-result.ts'

const kindField = z.enum(eventTypes)
const turn = z.number().int().min(0).max(1e6)

const inputSchema = z.strictObject({
  query: textField(4000, 0)
    .default('')
    .describe(
      'event ids (e17, e10-e20), an exact path or line of an error, "quoted" text, or words; empty: what the other fields select',
    ),
  bundle: bundleField.optional().describe('its id; the newest of the track if not given'),
  track: trackField.optional().describe('main if not given'),
  all: z.boolean().default(false).describe('search the logs of all bundles'),
  task: taskField.optional().describe('with all: only of this task'),
  maxLogs: z.number().int().min(1).max(1000).default(50).describe('with all: how many logs'),
  running: z.boolean().default(false).describe('also sessions that still go on, such as yours'),
  exact: z.boolean().default(false).describe('only events that hold the query literally'),
  kinds: z.array(kindField).min(1).optional(),
  agent: textField(1000).optional().describe('only of this agent'),
  tool: textField(1000).optional().describe('only of this tool'),
  path: textField(4096).optional().describe('only events that name this file or folder'),
  fromTurn: turn.optional(),
  toTurn: turn.optional(),
  context: z.number().int().min(0).max(20).default(0).describe('events to show around each hit'),
  limit: z.number().int().min(1).max(100).default(10).describe('hits'),
  maxTokens: maxTokensField(200, 2000),
})

export function addRecallTool(server: McpServer, { store, terminal, redactors, began }: McpContext): void {
  server.registerTool(
    'recall',
    {
      title: 'Search the log of a past session',
      description:
        'Searches the whole log behind a bundle for what the bundle leaves out: look up an event that it cites (e17), an exact path, command or error, or words.',
      annotations: readOnly,
      inputSchema,
    },
    (input, { signal }) =>
      toolResult({ terminal, redactors }, 'recall', async () => {
        const { query, bundle, track, all, task, maxLogs, exact, limit, maxTokens, context, running } = input
        const asked = { ...facetsOf(input), exact, limit, maxTokens, context, redactors, signal }
        const filter = { track, task }
        const before = running ? undefined : began
        const found = all
          ? await recallAll(await store.open(), query, { ...asked, filter, maxLogs, before })
          : await recall(await store.log(await store.bundle(bundle, track, before)), query, asked)
        return recalledToText(found)
      }),
  )
}

function facetsOf({ kinds, agent, tool, path, fromTurn, toTurn }: z.infer<typeof inputSchema>) {
  const turns = (fromTurn ?? toTurn) === undefined ? undefined : { from: fromTurn, to: toTurn }
  return { kinds, agent, tool, path, turns }
}
