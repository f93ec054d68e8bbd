import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { eventTypes, quotedFromLog, recall, recallAll, recalledToText } from '@tenfold/core'
import { z } from 'zod'
import { bundleField, maxTokensField, readOnly, taskField, trackField } from './fields.ts'
import type { McpContext } from './mcp-context.ts'
import { toolResult } from './tool-result.ts'

const kindField = z.enum(eventTypes)
const turn = z.number().int().nonnegative()

const inputSchema = z.strictObject({
  query: z
    .string()
    .max(4000)
    .default('')
    .describe(
      'event ids (e17, e10-e20), an exact path, flag, digest or line of an error, quoted text that must occur, or plain words; if empty, lists what the other fields select',
    ),
  bundle: bundleField
    .optional()
    .describe('id of the bundle or its beginning; the newest one of the track if not given'),
  track: trackField.optional().describe('line of work, main if not given; with all, only this one'),
  all: z
    .boolean()
    .default(false)
    .describe('search the logs of all bundles, newest first: has this been seen before?'),
  task: taskField.optional().describe('with all, only bundles of this task'),
  maxLogs: z
    .number()
    .int()
    .min(1)
    .max(1000)
    .default(50)
    .describe('with all, maximum number of logs to search'),
  exact: z.boolean().default(false).describe('only events that contain the query literally, ignoring case'),
  kinds: z.array(kindField).min(1).optional().describe('only events of these kinds'),
  agent: z
    .string()
    .min(1)
    .max(1000)
    .optional()
    .describe('only events of this agent; the primary one is main'),
  tool: z.string().min(1).max(1000).optional().describe('only calls of this tool, and their results'),
  path: z
    .string()
    .min(1)
    .max(4096)
    .optional()
    .describe('only events that name this file or folder; the end of its path is enough'),
  fromTurn: turn.optional(),
  toTurn: turn.optional(),
  context: z
    .number()
    .int()
    .min(0)
    .max(20)
    .default(0)
    .describe('events of the same agent to show before and after each hit'),
  limit: z.number().int().min(1).max(100).default(10).describe('maximum number of hits'),
  maxTokens: maxTokensField(200, 2000),
})

const event = {
  event: z.string().describe('id of the event, e17'),
  kind: kindField,
  agent: z.string(),
  turn: turn.optional(),
  time: z.string().optional(),
  tool: z.string().optional(),
  status: z.enum(['ok', 'error', 'denied', 'cancelled', 'unknown']).optional(),
  file: z.string().optional().describe('file of the log'),
  line: z.number().int().optional().describe('its line, from 1'),
  excerpt: z.string().describe(`[…N] stands for N tokens left out. ${quotedFromLog}`),
}

const outputSchema = {
  query: z.string(),
  hits: z.array(
    z.object({
      ...event,
      bundle: z.string().optional(),
      match: z.enum(['event', 'exact', 'part', 'name', 'words', 'listed']),
      score: z.number(),
      before: z.array(z.object(event)).optional(),
      after: z.array(z.object(event)).optional(),
    }),
  ),
  matched: z
    .number()
    .int()
    .describe('events that matched; may exceed the number of hits if they did not all fit'),
  exact: z.number().int().describe('of these, events that contain the whole query literally'),
  logs: z.array(
    z.object({
      bundle: z.string().optional(),
      sessionId: z.string(),
      title: z.string().optional(),
      from: z
        .enum(['log', 'bundle'])
        .describe('bundle: the log is missing, and only the bundle itself was searched'),
      events: z.number().int(),
    }),
  ),
  unsearched: z.number().int().describe('older bundles that were not searched'),
  notes: z.array(z.object({ code: z.string(), message: z.string(), count: z.number().optional() })),
}

export function addRecallTool(server: McpServer, { store, terminal, redactors }: McpContext): void {
  server.registerTool(
    'recall',
    {
      title: 'Search the log of a past session',
      description:
        'Searches the whole log behind a bundle for what the bundle leaves out: look up an event that it cites (e17), an exact path, command or error, or words.',
      annotations: readOnly,
      ...{ inputSchema, outputSchema },
    },
    (input, { signal }) =>
      toolResult({ terminal, redactors }, 'recall', async () => {
        const { query, bundle, track, all, task, maxLogs, exact, limit, maxTokens, context } = input
        const asked = { ...facetsOf(input), ...{ exact, limit, maxTokens, context, redactors, signal } }
        const filter = { ...(track !== undefined && { track }), ...(task !== undefined && { task }) }
        const found = all
          ? await recallAll(await store.open(), query, { ...asked, filter, maxLogs })
          : await recall(await store.log(await store.bundle(bundle, track)), query, asked)
        return { text: recalledToText(found), value: found }
      }),
  )
}

function facetsOf({ kinds, agent, tool, path, fromTurn, toTurn }: z.infer<typeof inputSchema>) {
  const turns = {
    ...(fromTurn !== undefined && { from: fromTurn }),
    ...(toTurn !== undefined && { to: toTurn }),
  }
  return {
    ...(kinds !== undefined && { kinds }),
    ...(agent !== undefined && { agent }),
    ...(tool !== undefined && { tool }),
    ...(path !== undefined && { path }),
    ...(Object.keys(turns).length > 0 && { turns }),
  }
}
