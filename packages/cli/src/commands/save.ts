import { text } from 'node:stream/consumers'
import { InvalidBundleError, saveBundle } from '@tenfold/core'
import { cleanLine, cleanText, known, readGivenBundle } from '@tenfold/core/internal'
import { makeRedactors, redactOptions } from '../options/log-options.ts'
import { kindOption, storeOption, taskOption, trackOption } from '../options/options.ts'
import { openStoreToWrite, storedPath } from '../store/open-store.ts'
import { readGivenFile } from '../terminal/user-files.ts'
import { defineCommand } from './define-command.ts'

export const addCommand = defineCommand({
  name: 'save',
  description:
    'Save a bundle that you or an agent wrote: summary, decisions, next steps, files. Id, time and Git state are added.',
  arguments: [['<file>', 'a file of JSON or Markdown, or - for stdin']],
  options: [
    storeOption,
    kindOption('kind of the bundle (default: the one in the file)'),
    trackOption('line of work that it belongs to (default: the one in the file, or main)'),
    taskOption('task that it belongs to'),
    ...redactOptions,
  ],
  json: 'one JSON object: id, track, path, notes',
  help: `
The JSON has any of: kind, task, track, title, summary, phase, currentTask, tasksCompleted, tasksRemaining, blockers,
findings, decisions, constraints, openQuestions, nextSteps, resumeInstructions, files; also in snake case. The Markdown
has a title (# Plan Bundle: …) and sections such as Summary, Decisions, Next Steps, Files, Completed, In Progress.

Examples:
  tenfold save notes.md --task AUTH-7
  tenfold save - --kind research < findings.md
  echo '{"summary": "JWT chosen", "nextSteps": ["plan the migration"]}' | tenfold save -`,
  async run({ store, kind, track, task, ...redact }, { terminal, signal }, file) {
    const written =
      file === '-' ? await text(process.stdin) : await readGivenFile(file, 'The bundle', 'no-bundle')
    const { fields, notes } = readGivenBundle(written)
    if (kind !== undefined && fields.kind !== undefined && kind !== fields.kind)
      throw new InvalidBundleError(`Its kind is ${fields.kind}, which --kind ${kind} contradicts.`, [])
    const given = { ...fields, ...known({ kind, track, task }) }
    const saved = await saveBundle(await openStoreToWrite(store, terminal), given, {
      notes,
      signal,
      ignore: [store],
      redactors: await makeRedactors(redact),
    })
    const { id, markdownKey, warning, bundle } = saved
    const path = storedPath(store, markdownKey)
    for (const { code, message } of bundle.notes) terminal.note(`note: ${code}: ${message}`)
    if (warning !== undefined) terminal.warn(`warning: ${cleanText(warning)}`)
    const about = bundle.task === undefined ? '' : ` of task ${bundle.task}`
    return {
      json: { id, track: saved.track, path, notes: bundle.notes },
      indent: 0,
      said: [`Saved ${id}, a ${bundle.kind} bundle${about} on track ${saved.track}: ${cleanLine(path)}`],
    }
  },
})
