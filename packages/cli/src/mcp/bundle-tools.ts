import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import {
  bundleToMarkdown,
  type CheckpointEntry,
  checkpointStore,
  cleanLine,
  cleanText,
  type HistoryEntry,
  renderBrief,
  tiktokenCounter,
} from '@tenfold/core'
import { z } from 'zod'
import { bundleField, countField, maxTokensField, readOnly, taskField, trackField } from './fields.ts'
import type { McpContext } from './mcp-context.ts'
import { recordOfWork, toolResult } from './tool-result.ts'

const listInput = z.strictObject({
  track: trackField.optional(),
  task: taskField.optional(),
  limit: countField(1, 200).default(20),
})

const showInput = z.strictObject({
  bundle: bundleField
    .default('LATEST')
    .describe('LATEST, an id or its beginning, a session, a task or a track'),
  maxTokens: maxTokensField(100, 20_000),
})

export function addBundleTools(server: McpServer, context: McpContext): void {
  addList(server, context)
  addShow(server, context)
}

function addList(server: McpServer, { store, terminal, redactors }: McpContext): void {
  server.registerTool(
    'list',
    {
      title: 'List bundles and checkpoints',
      description: 'Bundles (records of past sessions) and checkpoints, newest first.',
      annotations: readOnly,
      inputSchema: listInput,
    },
    ({ limit, ...filter }, { signal }) =>
      toolResult({ terminal, redactors, store }, 'list', async () => {
        const { storage, list, tracks } = await store.open()
        const checkpoints = checkpointStore(storage, {
          onDamaged: (error) => terminal.warn(cleanText(error.message)),
        })
        // One more than is shown: its presence means that older ones exist.
        const bundles = (await list({ ...filter, limit: limit + 1 }, { signal })).reverse()
        const saved = await checkpoints.list(filter, { signal })
        const names = new Set([...(await tracks()), ...(await checkpoints.tracks())])
        const value = {
          tracks: [...names].sort(),
          bundles: bundles.slice(0, limit).map(bundleLine),
          moreBundles: bundles.length > limit,
          checkpoints: saved.slice(0, limit).map(checkpointLine),
          moreCheckpoints: saved.length > limit,
        }
        return listText(value)
      }),
  )
}

function bundleLine(entry: HistoryEntry) {
  const { id, track, kind, createdAt, task, format, sessionId, title, sourceTokens, bundleTokens } = entry
  const { state, nextStep } = entry
  return {
    id,
    track,
    kind,
    createdAt,
    task,
    format,
    sessionId,
    title,
    sourceTokens,
    bundleTokens,
    state,
    nextStep,
  }
}

function checkpointLine(entry: CheckpointEntry) {
  const { id, track, createdAt, task, step, nextCommand, validation, branch, head } = entry
  return { id, track, createdAt, task, step, nextCommand, validation, branch, head }
}

interface Listed {
  readonly tracks: readonly string[]
  readonly bundles: readonly ReturnType<typeof bundleLine>[]
  readonly moreBundles: boolean
  readonly checkpoints: readonly ReturnType<typeof checkpointLine>[]
  readonly moreCheckpoints: boolean
}

function listText({ tracks, bundles, moreBundles, checkpoints, moreCheckpoints }: Listed): string {
  if (tracks.length === 0)
    return 'The store is empty. Compress a log (tenfold compress <log>), or save a checkpoint with the tool checkpoint.'
  const line = (parts: readonly (string | undefined)[]): string =>
    `- ${parts.flatMap((part) => (part === undefined || part === '' ? [] : [cleanLine(part)])).join(' · ')}`
  const older = (more: boolean): string[] => (more ? ['- … and older ones; raise limit to see them'] : [])
  return [
    recordOfWork,
    `Tracks: ${tracks.join(', ')}`,
    '',
    `## Bundles (${bundles.length})`,
    ...bundles.map((bundle) =>
      line([
        ...[
          bundle.id,
          bundle.track,
          bundle.kind,
          bundle.state,
          bundle.task,
          bundle.title ?? bundle.sessionId,
        ],
        bundle.nextStep === undefined ? undefined : `next: ${bundle.nextStep}`,
      ]),
    ),
    ...older(moreBundles),
    '',
    `## Checkpoints (${checkpoints.length})`,
    ...checkpoints.map(({ id, track, validation, task, step, nextCommand }) =>
      line([
        id,
        track,
        validation,
        task,
        step,
        nextCommand === undefined ? undefined : `next: ${nextCommand}`,
      ]),
    ),
    ...older(moreCheckpoints),
  ].join('\n')
}

function addShow(server: McpServer, { store, terminal, redactors }: McpContext): void {
  server.registerTool(
    'show',
    {
      title: 'Show a bundle',
      description: 'The whole record of a past session, or its brief if that is too long.',
      annotations: readOnly,
      inputSchema: showInput,
    },
    ({ bundle: name, maxTokens }) =>
      toolResult({ terminal, redactors, store }, 'show', async () => {
        const bundle = await store.bundle(name, undefined)
        const counter = tiktokenCounter()
        const whole = `${recordOfWork}\n\n${bundleToMarkdown(bundle)}`
        if (counter.count(whole) <= maxTokens) return whole
        const room = maxTokens - counter.count(`${recordOfWork}\n\n`)
        // The brief of a few tokens says itself that it is a record.
        if (room < 100) return renderBrief(bundle, { maxTokens, counter })
        return `${recordOfWork}\n\n${renderBrief(bundle, { maxTokens: room, counter })}`
      }),
  )
}
