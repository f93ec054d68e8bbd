import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import {
  bundleToMarkdown,
  checkpoint,
  recall,
  recalledToText,
  renderBrief,
  resume,
  saveBundle,
  tiktokenCounter,
} from '@tenfold/core'
import { bundleKinds } from '@tenfold/core/bundle'
import { cleanLine, findingLines, readGit, readGivenBundle } from '@tenfold/core/internal'
import { checkpointStore, checkpointToMarkdown } from '@tenfold/core/store'
import { z } from 'zod'
import { latestCheckpoint } from '../checkpoint/latest-checkpoint.ts'
import { findStoredBundle } from '../store/find-bundle.ts'
import { rememberMade, warnOfDamage } from '../store/open-store.ts'
import { addedLine } from '../store/store-origin.ts'
import {
  addTool,
  bundleField,
  countField,
  type McpContext,
  maxTokensField,
  recordOfWork,
  taskField,
  textField,
  trackField,
} from './mcp-tool.ts'

export function addTools(server: McpServer, context: McpContext): void {
  const { store, place, terminal, redactors, cwd, began } = context
  const ignore = [place]
  const checkpoints = checkpointStore(store.storage, warnOfDamage(terminal))
  const find = (name: string, track = 'main') => findStoredBundle(name, { store, track, terminal })

  addTool(server, context, {
    name: 'resume',
    title: 'Resume past work',
    description:
      'Brief of the past work to continue from: next step, what no longer holds, constraints, decisions, files. Call it on a cold start.',
    input: z.strictObject({
      track: trackField
        .optional()
        .describe('line of work; if not given, that of the current checkpoint, or main'),
      task: taskField.optional().describe('newest bundle of this task'),
      bundle: bundleField.optional().describe('instead of the newest: an id, a session, task, track or kind'),
      maxTokens: maxTokensField(100, 4000),
    }),
    marksOrigin: true,
    async run({ track, task, bundle: name, maxTokens }, signal) {
      const bundle = name === undefined ? undefined : await find(name, track)
      const git = await readGit(cwd, { signal, ignore })
      const verify = git.state === 'repository' && cwd
      const origin = (found: Parameters<typeof addedLine>[2]) => addedLine(store, place, found)
      const asked = { store, track, task, bundle, maxTokens, signal, ignore, git, verify, origin }
      return (await resume(asked)).text
    },
  })

  addTool(server, context, {
    name: 'recall',
    title: 'Search the logs of past sessions',
    description:
      'Searches the whole logs of past sessions for what briefs leave out. An event id belongs to the newest bundle if none is given.',
    input: z.strictObject({
      query: textField(4000).describe(
        'event ids (e17, e10-e20), an exact path, command or error, "quoted" text that must occur, or words',
      ),
      bundle: bundleField.optional().describe('only the session of this bundle'),
      track: trackField.optional(),
      running: z.boolean().default(false).describe('also sessions that still go on, such as yours'),
      context: countField(0, 20).default(0).describe('events around each hit'),
      maxTokens: maxTokensField(200, 2000),
    }),
    async run({ query, bundle: name, track, running, context, maxTokens }, signal) {
      const asked = { maxTokens, context, redactors, signal }
      const of =
        name === undefined
          ? { track, before: running ? undefined : began, maxLogs: 50 }
          : { bundle: await find(name, track) }
      return recalledToText(await recall(store, query, { ...asked, ...of }))
    },
  })

  addTool(server, context, {
    name: 'checkpoint',
    title: 'Save a checkpoint',
    description:
      'Saves the state of the work, with branch, head and changed files. Call it before a long step and when a step is done.',
    saves: true,
    input: z.strictObject({
      track: trackField.optional().describe('line of work; parallel agents use one each'),
      step: textField(1000).describe('what is being done'),
      note: textField(64_000, 0).optional().describe('what the next session must know'),
      nextCommand: textField(4000).optional().describe('shown to whoever resumes, never run'),
      validation: z.enum(['green', 'pending', 'failed']).default('pending'),
      task: taskField.optional(),
      files: z
        .array(textField(4096))
        .refine(({ length }) => length <= 500, 'expected at most 500 files')
        .optional(),
      setCurrent: z.boolean().default(true).describe('false for a helper of the primary agent'),
    }),
    async run(given, signal) {
      rememberMade(place, terminal)
      const { id, track, warning } = await checkpoint({ ...given, store, cwd, redactors, signal, ignore })
      return `Saved ${id}, a checkpoint of track ${track}.${warning === undefined ? '' : `\nWarning: ${warning}`}`
    },
  })

  addTool(server, context, {
    name: 'checkpoint_latest',
    title: 'Read the newest checkpoint',
    description: 'The newest checkpoint: step, note, next command, branch, head.',
    input: z.strictObject({
      track: trackField.optional().describe('the current one if not given'),
      live: z.boolean().default(false).describe('compare with the repository'),
    }),
    async run({ track, live: compare }, signal) {
      const latest = await latestCheckpoint(checkpoints, {
        ...{ track, signal, ignore },
        live: compare ? cwd : undefined,
        advice: { save: 'Save one with the checkpoint tool.', choose: 'pass one of them as track.' },
      })
      const { checkpoint: held, repaired, live } = latest
      const changed = live === undefined ? undefined : findingLines(live.findings)
      return [
        ...[recordOfWork, '', checkpointToMarkdown(held)],
        ...((changed && ['', '## No longer holds', ...(changed.length > 0 ? changed : ['nothing'])]) ?? []),
        ...(repaired === undefined ? [] : ['', `Warning: ${repaired}`]),
      ].join('\n')
    },
  })

  addTool(server, context, {
    name: 'list',
    title: 'List bundles and checkpoints',
    description: 'Bundles (records of past sessions) and checkpoints, newest first.',
    input: z.strictObject({
      track: trackField.optional(),
      task: taskField.optional(),
      limit: countField(1, 200).default(20),
    }),
    async run({ limit, ...filter }, signal) {
      // One more than is shown, to detect that there are older ones.
      const bundles = (await store.list({ ...filter, limit: limit + 1 }, { signal })).reverse()
      const saved = await checkpoints.list(filter, { signal })
      const tracks = [...new Set([...(await store.tracks()), ...(await checkpoints.tracks())])].sort()
      if (tracks.length === 0)
        return 'The store is empty. Compress a log (tenfold compress <log>), or save a checkpoint with the tool checkpoint.'
      const bundleLines = bundles.map(({ id, track, kind, state, task, title, sessionId, nextStep }) =>
        lineOf([id, track, kind, state, task, title ?? sessionId, nextOf(nextStep)]),
      )
      const checkpointLines = saved.map(({ id, track, validation, task, step, nextCommand }) =>
        lineOf([id, track, validation, task, step, nextOf(nextCommand)]),
      )
      const section = (title: string, lines: readonly string[]): string[] => [
        ...['', `## ${title} (${Math.min(lines.length, limit)})`],
        ...lines.slice(0, limit),
        ...(lines.length > limit ? ['- … and older ones; raise limit to see them'] : []),
      ]
      return [
        ...[recordOfWork, `Tracks: ${tracks.join(', ')}`],
        ...section('Bundles', bundleLines),
        ...section('Checkpoints', checkpointLines),
      ].join('\n')
    },
  })

  addTool(server, context, {
    name: 'show',
    title: 'Show a bundle',
    description: 'The whole record of a past session, or its brief if that is too long.',
    input: z.strictObject({
      bundle: bundleField
        .default('LATEST')
        .describe('LATEST, an id or its beginning, a session, a task or a track'),
      maxTokens: maxTokensField(100, 20_000),
    }),
    async run({ bundle: name, maxTokens }) {
      const bundle = await find(name)
      const counter = tiktokenCounter()
      const head = `${recordOfWork}\n\n`
      const whole = `${head}${bundleToMarkdown(bundle)}`
      if (counter.count(whole) <= maxTokens) return whole
      const room = maxTokens - counter.count(head)
      // A very short brief is itself marked as a record, so the head is left out.
      if (room < 100) return await renderBrief(bundle, { maxTokens, counter })
      return `${head}${await renderBrief(bundle, { maxTokens: room, counter })}`
    },
  })

  addTool(server, context, {
    name: 'save',
    title: 'Save a bundle',
    description:
      'Saves your own record for the next session, at the end of a phase. Id, time and Git state are added.',
    saves: true,
    input: givenBundle,
    async run(given, signal) {
      const { fields, notes } = readGivenBundle(JSON.stringify(given))
      rememberMade(place, terminal)
      const options = { cwd, notes, redactors, signal, ignore }
      const { id, track, warning, bundle } = await saveBundle(store, fields, options)
      const { kind, compression } = bundle
      const saved = `Saved ${id}, a ${kind} bundle of ${compression.bundleTokens} tokens on track ${track}.`
      const said = bundle.notes.map(({ message }) => `\nNote: ${cleanLine(message)}`)
      return [saved, ...said, ...(warning === undefined ? [] : [`\nWarning: ${warning}`])].join('')
    },
  })
}

function lineOf(parts: readonly (string | undefined)[]): string {
  return `- ${parts.flatMap((part) => (part ? [cleanLine(part)] : [])).join(' · ')}`
}

function nextOf(next: string | undefined): string | undefined {
  return next === undefined ? undefined : `next: ${next}`
}

// The schema is short because a client sends it with every request of its model. The input is read like a file for
// `tenfold save`, so other fields, and texts in place of objects, are accepted too.
const texts = z.array(z.string())
const section = (form: string) => z.unknown().describe(form)
const givenBundle = z
  .looseObject({
    kind: z.enum(bundleKinds).describe('phase of the work'),
    track: z.string(),
    task: z.string(),
    sessionId: z.string(),
    summary: z.string(),
    nextSteps: z
      .array(z.union([z.string(), z.looseObject({ action: z.string(), command: z.string().optional() })]))
      .describe('the first one is where to continue'),
    decisions: z.array(section('{ choice, topic, rationale }')),
    files: z.array(section('{ path, status, reason }')),
    constraints: texts,
    findings: texts,
    openQuestions: texts,
    resumeInstructions: z.string(),
    plan: section('{ approach, steps: [{ text, done }], risks }'),
    progress: section('{ currentState, completed, inProgress, remaining }'),
    validation: section('{ status: green | failed | pending, command }'),
  })
  .partial()
