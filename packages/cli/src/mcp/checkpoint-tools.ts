import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import {
  checkCheckpoint,
  checkpoint,
  checkpointStore,
  checkpointToMarkdown,
  cleanText,
  findingLines,
  TenfoldError,
} from '@tenfold/core'
import { z } from 'zod'
import { rememberMade } from '../store/open-store.ts'
import { readOnly, taskField, textField, trackField } from './fields.ts'
import type { McpContext } from './mcp-context.ts'
import { recordOfWork, toolResult } from './tool-result.ts'

const validation = z.enum(['green', 'pending', 'failed'])

const saveInput = z.strictObject({
  track: trackField.optional().describe('line of work; parallel agents use one each'),
  step: textField(1000).describe('what is being done'),
  note: textField(64_000, 0).optional().describe('what the next session must know'),
  nextCommand: textField(4000).optional().describe('shown to whoever resumes, never run'),
  validation: validation.default('pending'),
  task: taskField.optional(),
  files: z
    .array(textField(4096))
    .refine(({ length }) => length <= 500, 'expected at most 500 files')
    .optional(),
  setCurrent: z.boolean().default(true).describe('false for a helper of the primary agent'),
})

const latestInput = z.strictObject({
  track: trackField.optional().describe('the current one if not given'),
  live: z.boolean().default(false).describe('compare with the repository'),
})

export function addCheckpointTools(server: McpServer, context: McpContext): void {
  addSave(server, context)
  addLatest(server, context)
}

function addSave(server: McpServer, { store, terminal, redactors, cwd }: McpContext): void {
  server.registerTool(
    'checkpoint',
    {
      title: 'Save a checkpoint',
      description:
        'Saves the state of the work, with branch, head and changed files. Call it before a long step and when a step is done.',
      annotations: {
        readOnlyHint: false,
        destructiveHint: false,
        openWorldHint: false,
      },
      inputSchema: saveInput,
    },
    (given, { signal }) =>
      toolResult({ terminal, redactors, store }, 'checkpoint', async () => {
        rememberMade(store.place, terminal)
        const saved = await checkpoint({
          store: await store.open(),
          ...given,
          cwd,
          redactors,
          signal,
          ignore: [store.place],
        })
        const { id, track, warning } = saved
        const more = warning === undefined ? '' : `\nWarning: ${warning}`
        return `Saved ${id}, a checkpoint of track ${track}.${more}`
      }),
  )
}

function addLatest(server: McpServer, { store, terminal, redactors, cwd }: McpContext): void {
  server.registerTool(
    'checkpoint_latest',
    {
      title: 'Read the newest checkpoint',
      description: 'The newest checkpoint: step, note, next command, branch, head.',
      annotations: readOnly,
      inputSchema: latestInput,
    },
    ({ track, live }, { signal }) =>
      toolResult({ terminal, redactors, store }, 'checkpoint_latest', async () => {
        const checkpoints = checkpointStore((await store.open()).storage, {
          onDamaged: (error) => terminal.warn(cleanText(error.message)),
        })
        const latest = await checkpoints.latest(track, { signal })
        if (latest === undefined) throw noCheckpoint(await checkpoints.tracks(), track)
        const { checkpoint: held, repaired } = latest
        const check = live ? await checkCheckpoint(held, cwd, { signal, ignore: [store.place] }) : undefined
        const changed = check === undefined ? undefined : findingLines(check.findings)
        const lines =
          changed === undefined
            ? []
            : ['', '## No longer holds', ...(changed.length > 0 ? changed : ['nothing'])]
        const warning = repaired === undefined ? [] : ['', `Warning: ${repaired}`]
        return [recordOfWork, '', checkpointToMarkdown(held), ...lines, ...warning].join('\n')
      }),
  )
}

function noCheckpoint(tracks: readonly string[], track: string | undefined): TenfoldError {
  const where = track === undefined ? 'no current checkpoint' : `no checkpoint on track ${track}`
  const other =
    tracks.length === 0
      ? 'Save one with the checkpoint tool.'
      : `There are checkpoints on ${tracks.join(', ')}; pass one of them as track.`
  return new TenfoldError('no-checkpoint', `There is ${where}. ${other}`)
}
