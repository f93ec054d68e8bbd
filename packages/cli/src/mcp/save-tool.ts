import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { bundleKinds, cleanLine, readGivenBundle, saveBundle } from '@tenfold/core'
import { z } from 'zod'
import { rememberMade } from '../store/open-store.ts'
import type { McpContext } from './mcp-context.ts'
import { toolResult } from './tool-result.ts'

// A client sends the schema with every request of its model, so it is a short form. What arrives is read like the file
// of `tenfold save`: other fields, and texts in place of objects, count too.
const texts = z.array(z.string())
const section = (form: string) => z.unknown().describe(form)
const inputSchema = z
  .looseObject({
    kind: z.enum(bundleKinds).describe('phase of the work'),
    track: z.string(),
    task: z.string(),
    sessionId: z.string(),
    summary: z.string(),
    nextSteps: z
      .array(z.union([z.string(), z.looseObject({ action: z.string(), command: z.string().optional() })]))
      .describe('the first is where to go on'),
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

export function addSaveTool(server: McpServer, { store, terminal, redactors, cwd }: McpContext): void {
  server.registerTool(
    'save',
    {
      title: 'Save a bundle',
      description:
        'Saves your own record for the next session, at the end of a phase. Id, time and Git state are added.',
      annotations: {
        readOnlyHint: false,
        destructiveHint: false,
        openWorldHint: false,
      },
      inputSchema,
    },
    (given, { signal }) =>
      toolResult({ terminal, redactors, store }, 'save', async () => {
        const { fields, notes } = readGivenBundle(JSON.stringify(given))
        rememberMade(store.place, terminal)
        const options = { cwd, notes, redactors, signal, ignore: [store.place] }
        const { id, track, warning, bundle } = await saveBundle(await store.open(), fields, options)
        const { kind, compression } = bundle
        const saved = `Saved ${id}, a ${kind} bundle of ${compression.bundleTokens} tokens on track ${track}.`
        const said = bundle.notes.map(({ message }) => `\nNote: ${cleanLine(message)}`)
        return [saved, ...said, ...(warning === undefined ? [] : [`\nWarning: ${warning}`])].join('')
      }),
  )
}
