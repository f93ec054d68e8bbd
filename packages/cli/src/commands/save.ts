import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import {
  type BundleKind,
  cleanLine,
  cleanText,
  InvalidBundleError,
  readGivenBundle,
  saveBundle,
  TenfoldError,
} from '@tenfold/core'
import type { Command } from 'commander'
import { kindOption, notEmpty, storeOption, trackOption } from '../options/options.ts'
import {
  addRedactOptions,
  makeRedactors,
  type RedactOptions,
  redactFault,
} from '../options/redact-options.ts'
import { openStoreToWrite } from '../store/open-store.ts'
import { storedPath } from '../store/stored-path.ts'
import type { CommandContext } from '../terminal/command-context.ts'
import { toSafeJson } from '../terminal/json-output.ts'
import { messageOf } from '../terminal/thrown.ts'

interface SaveOptions extends RedactOptions {
  readonly store: string
  readonly kind?: BundleKind | undefined
  readonly track?: string | undefined
  readonly task?: string | undefined
  readonly json?: true | undefined
}

export function addCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('save')
    .description(
      'Save a bundle that you or an agent wrote: summary, decisions, next steps, files. Id, time and Git state are added.',
    )
    .argument('<file>', 'a file of JSON or Markdown, or - for stdin')
    .addOption(storeOption())
    .addOption(kindOption('kind of the bundle (default: what it says itself)'))
    .addOption(trackOption('line of work that it belongs to (default: what it says itself, or main)'))
    .option('--task <id>', 'task that it belongs to', notEmpty('a task'))
    .option('--json', 'print one JSON object: id, track, path, notes')
  addRedactOptions(command)
  command.addHelpText('after', saveHelp)
  command.action(async (file: string, options: SaveOptions) => {
    const fault = redactFault(options)
    if (fault !== undefined) command.error(`error: ${fault}`)
    await save(file, options, context)
  })
}

async function save(file: string, options: SaveOptions, { terminal, signal }: CommandContext): Promise<void> {
  const { kind, track, task } = options
  const { fields, notes } = readGivenBundle(await readGiven(file))
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
  if (options.json) return terminal.print(toSafeJson({ id, track: saved.track, path, notes: bundle.notes }))
  const about = bundle.task === undefined ? '' : ` of task ${bundle.task}`
  terminal.say(`Saved ${id}, a ${bundle.kind} bundle${about} on track ${saved.track}: ${cleanLine(path)}`)
}

async function readGiven(file: string): Promise<string> {
  try {
    return file === '-' ? await text(process.stdin) : await readFile(file, 'utf8')
  } catch (cause) {
    throw new TenfoldError(
      'no-bundle',
      `The bundle ${cleanLine(file)} cannot be read: ${messageOf(cause)}.`,
      { cause },
    )
  }
}

const saveHelp = `
The JSON has any of: kind, task, track, title, summary, phase, currentTask, tasksCompleted, tasksRemaining, blockers,
findings, decisions, constraints, openQuestions, nextSteps, resumeInstructions, files; also in snake case. The Markdown
has a title (# Plan Bundle: …) and sections such as Summary, Decisions, Next Steps, Files, Completed, In Progress.

Examples:
  tenfold save notes.md --task AUTH-7
  tenfold save - --kind research < findings.md
  echo '{"summary": "JWT chosen", "nextSteps": ["plan the migration"]}' | tenfold save -`
