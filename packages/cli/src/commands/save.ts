import { text } from 'node:stream/consumers'
import { InvalidBundleError, saveBundle } from '@tenfold/core'
import { cleanLine, cleanText, readGivenBundle } from '@tenfold/core/internal'
import { option, type ValuesOf } from '../options/option.ts'
import { kindOption, storeOption, taskOption, trackOption } from '../options/options.ts'
import { makeRedactors, redactOptions } from '../options/redact-options.ts'
import { openStoreToWrite, storedPath } from '../store/open-store.ts'
import { readGivenFile } from '../terminal/given-file.ts'
import type { CommandContext } from '../terminal/terminal.ts'
import { defineCommand } from './define-command.ts'

const saveOptions = [
  storeOption,
  kindOption('kind of the bundle (default: what it says itself)'),
  trackOption('line of work that it belongs to (default: what it says itself, or main)'),
  taskOption('task that it belongs to'),
  option('--json', 'print one JSON object: id, track, path, notes'),
  ...redactOptions,
] as const

export const addCommand = defineCommand({
  name: 'save',
  description:
    'Save a bundle that you or an agent wrote: summary, decisions, next steps, files. Id, time and Git state are added.',
  arguments: [['<file>', 'a file of JSON or Markdown, or - for stdin']],
  options: saveOptions,
  help: `
The JSON has any of: kind, task, track, title, summary, phase, currentTask, tasksCompleted, tasksRemaining, blockers,
findings, decisions, constraints, openQuestions, nextSteps, resumeInstructions, files; also in snake case. The Markdown
has a title (# Plan Bundle: …) and sections such as Summary, Decisions, Next Steps, Files, Completed, In Progress.

Examples:
  tenfold save notes.md --task AUTH-7
  tenfold save - --kind research < findings.md
  echo '{"summary": "JWT chosen", "nextSteps": ["plan the migration"]}' | tenfold save -`,
  run: save,
})

async function save(
  options: ValuesOf<typeof saveOptions>,
  { terminal, signal }: CommandContext,
  file: string,
): Promise<void> {
  const { kind, track, task } = options
  const written =
    file === '-' ? await text(process.stdin) : await readGivenFile(file, 'The bundle', 'no-bundle')
  const { fields, notes } = readGivenBundle(written)
  if (kind !== undefined && fields.kind !== undefined && kind !== fields.kind)
    throw new InvalidBundleError(
      `It says that its kind is ${fields.kind}, so --kind ${kind} cannot hold.`,
      [],
    )
  const given = {
    ...fields,
    ...(kind !== undefined && { kind }),
    ...(track !== undefined && { track }),
    ...(task !== undefined && { task }),
  }
  const saved = await saveBundle(await openStoreToWrite(options.store, terminal), given, {
    notes,
    signal,
    ignore: [options.store],
    redactors: await makeRedactors(options),
  })
  const { id, markdownKey, warning, bundle } = saved
  const path = storedPath(options.store, markdownKey)
  for (const { code, message } of bundle.notes) terminal.note(`note: ${code}: ${message}`)
  if (warning !== undefined) terminal.warn(`warning: ${cleanText(warning)}`)
  if (options.json) return terminal.printJson({ id, track: saved.track, path, notes: bundle.notes })
  const about = bundle.task === undefined ? '' : ` of task ${bundle.task}`
  terminal.say(`Saved ${id}, a ${bundle.kind} bundle${about} on track ${saved.track}: ${cleanLine(path)}`)
}
