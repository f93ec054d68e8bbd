import {
  cleanLine,
  cleanText,
  type DumpReport,
  deleteDump,
  exportDump,
  type HaltDump,
  listDumps,
  loadDump,
  readDumpedFile,
  restoreDump,
  snapshotPaths,
  TenfoldError,
  verifyDump,
} from '@tenfold/core'
import { type Command, Option } from 'commander'
import { createDump } from '../dump/create-dump.ts'
import { addCreateOptions, type CreateOptions, gitFiltersOption } from '../dump/create-options.ts'
import { dumpNames } from '../dump/dump-names.ts'
import { dumpLines, dumpTable, restoredLines, writtenLines } from '../dump/dump-report.ts'
import { type FoundDump, findDump } from '../dump/find-dump.ts'
import {
  createHelp,
  deleteHelp,
  exportHelp,
  groupHelp,
  listHelp,
  restoreHelp,
  showHelp,
  verifyHelp,
} from '../dump/help.ts'
import { notEmpty, storeOption, wholeNumber } from '../options/options.ts'
import { redactFault } from '../options/redact-options.ts'
import { openStorage } from '../store/open-storage.ts'
import type { CommandContext } from '../terminal/command-context.ts'
import { type ExitCode, exitCodes } from '../terminal/exit-codes.ts'
import { toSafeJson } from '../terminal/json-output.ts'
import { formatBytes, formatNumberOf } from '../terminal/numbers.ts'
import { writeWhole } from '../terminal/write-whole.ts'

interface CommonOptions {
  readonly store: string
  readonly json?: true | undefined
}

interface RestoreOptions extends CommonOptions {
  readonly repository?: string | undefined
  readonly gitFilters?: true | undefined
}

export function addCommand(program: Command, context: CommandContext): void {
  const group = program
    .command('dump')
    .description(
      'Keep what a halted run leaves behind: conversation, last run, patch, files, environment, state.',
    )
    .addHelpText('after', groupHelp)
  addCreate(group, context)
  addList(group, context)
  addShow(group, context)
  addOne(
    group,
    context,
    'verify',
    'Check that a dump is complete and that each part is as it was written.',
    verifyHelp,
    verify,
  )
  addRestore(group, context)
  addExport(group, context)
  addOne(group, context, 'delete', 'Delete a dump.', deleteHelp, remove)
}

function addCreate(group: Command, context: CommandContext): void {
  const command = group
    .command('create')
    .description('Dump a halted run. If one part fails, the others are still written.')
  addCreateOptions(command)
  command.addHelpText('after', createHelp).action(async (options: CreateOptions) => {
    const fault = redactFault(options)
    if (fault !== undefined) command.error(`error: ${fault}`)
    const { terminal } = context
    terminal.workWithoutReader()
    const { dumped, failed } = await createDump(options, context)
    if (options.json) terminal.print(toSafeJson(dumped, 2))
    else if (dumped.state === 'disabled')
      terminal.say(
        'Halt dumps are switched off (TENFOLD_DUMP, or off in a config file); nothing was written.',
      )
    else terminal.say(writtenLines(dumped, terminal.style).join('\n'))
    context.finish(dumped.state === 'partial' || failed.length > 0 ? exitCodes.failed : exitCodes.done)
  })
}

type OneDump = (dump: FoundDump, options: CommonOptions, context: CommandContext) => Promise<ExitCode>

/** Adds a command about one dump, with its common options. */
function oneDump(group: Command, name: string, description: string): Command {
  return group
    .command(name)
    .description(description)
    .argument('<dump>', dumpNames)
    .addOption(storeOption())
    .option('--json', 'print one JSON object')
}

/** Adds a command that takes one dump and has no options of its own. */
function addOne(
  group: Command,
  context: CommandContext,
  name: string,
  description: string,
  help: string,
  run: OneDump,
): void {
  oneDump(group, name, description)
    .addHelpText('after', help)
    .action(async (dump: string, options: CommonOptions) => {
      context.finish(await run(await findDump(options.store, dump), options, context))
    })
}

function addShow(group: Command, context: CommandContext): void {
  const { terminal } = context
  oneDump(group, 'show', 'Print what a dump holds, or one file of it.')
    .addOption(
      new Option('--file <path>', 'print this part, or this file of the sandbox if it is stored whole')
        .argParser(notEmpty('a path'))
        .conflicts('json'),
    )
    .addHelpText('after', showHelp)
    .action(async (name: string, { store, file, json }: CommonOptions & { file?: string }) => {
      const { storage, haltId } = await findDump(store, name)
      const dump = await loadDump(storage, haltId)
      if (file !== undefined) await printFile(dump, file, context)
      else {
        const names = await snapshotPaths(dump)
        const { read, ...rest } = dump
        const snapshots = Object.fromEntries(names)
        terminal.print(
          json ? toSafeJson({ ...rest, snapshots }, 2) : dumpLines(dump, names, terminal).join('\n'),
        )
      }
    })
}

/** Prints a file byte for byte, but never escapes of a dump to a terminal. */
async function printFile(dump: HaltDump, path: string, { terminal }: CommandContext): Promise<void> {
  const bytes = await readDumpedFile(dump, path)
  if (bytes === undefined)
    throw new TenfoldError(
      'no-dump',
      `The dump ${dump.haltId} has no ${cleanLine(path)} stored whole; tenfold dump show ${dump.haltId} lists what it has.`,
    )
  terminal.write(
    terminal.columns === Number.POSITIVE_INFINITY ? bytes : cleanText(Buffer.from(bytes).toString()),
  )
}

const verify: OneDump = async ({ storage, haltId }, { json }, { terminal }) => {
  const report = await verifyDump(storage, haltId)
  terminal.print(json ? toSafeJson(report, 2) : reportLines(report, terminal.style).join('\n'))
  return report.ok ? exitCodes.done : exitCodes.failed
}

function reportLines(
  { haltId, state, parts, bytes, findings }: DumpReport,
  style: CommandContext['terminal']['style'],
): string[] {
  const faults = findings.filter(({ level }) => level === 'fault').length
  const found = faults === 0 ? 'no faults' : formatNumberOf(faults, 'fault')
  const warnings = findings.length - faults
  return [
    ...findings.map(
      ({ level, message }) =>
        `${level === 'fault' ? style.red('fault:') : style.yellow('warning:')} ${cleanText(message)}`,
    ),
    `${haltId}, ${state}: ${formatNumberOf(parts, 'part')} of ${formatBytes(bytes)} are intact: ${found}${warnings === 0 ? '' : `, ${formatNumberOf(warnings, 'warning')}`}.`,
  ]
}

const remove: OneDump = async ({ storage, haltId }, { json }, { terminal }) => {
  const { deleted } = await deleteDump(storage, haltId)
  if (json) terminal.print(toSafeJson({ haltId, deleted }, 2))
  else terminal.say(`Deleted ${haltId}.`)
  return exitCodes.done
}

function addList(group: Command, context: CommandContext): void {
  group
    .command('list')
    .description('List dumps, newest first.')
    .addOption(storeOption())
    .option('--task <id>', 'only dumps of this task', notEmpty('a task'))
    .option('--project <id>', 'only dumps of this project', notEmpty('a project'))
    .option('--limit <n>', 'show at most n', wholeNumber(1))
    .option('--json', 'print a JSON array')
    .addHelpText('after', listHelp)
    .action(async (options: CommonOptions & { task?: string; project?: string; limit?: number }) => {
      const { terminal } = context
      const { store, task, project, limit } = options
      const entries = await listDumps(await openStorage(store), {
        taskId: task,
        projectId: project,
        limit,
      })
      if (options.json) terminal.print(toSafeJson(entries, 2))
      else if (entries.length === 0) {
        const which = [task && ` of task ${task}`, project && ` of project ${project}`]
          .filter(Boolean)
          .join('')
        terminal.note(cleanLine(`No halt dumps${which} in ${store}.`))
      } else terminal.print(dumpTable(entries, terminal).join('\n'))
    })
}

function addRestore(group: Command, context: CommandContext): void {
  oneDump(group, 'restore', 'Restore the files of a dump into a new folder, each checked by its hash.')
    .argument(
      '<dir>',
      'new or empty folder with --repository, otherwise a clean checkout of the head of the dump',
    )
    .option(
      '--repository <repository>',
      'path or URL from which to clone the head of the dump',
      notEmpty('a repository'),
    )
    .option(...gitFiltersOption)
    .addHelpText('after', restoreHelp)
    .action(async (name: string, dir: string, options: RestoreOptions) => {
      const { terminal, signal } = context
      const { store, repository, gitFilters } = options
      const { storage, haltId } = await findDump(store, name)
      terminal.workWithoutReader()
      const restored = await restoreDump(storage, haltId, dir, {
        signal,
        repository,
        gitFilters,
      })
      if (options.json) terminal.print(toSafeJson(restored, 2))
      else terminal.say(restoredLines(restored, terminal.style).join('\n'))
      context.finish(restored.ok ? exitCodes.done : exitCodes.failed)
    })
}

function addExport(group: Command, context: CommandContext): void {
  oneDump(group, 'export', 'Pack a dump into one file that needs no other dump.')
    .addOption(
      new Option('-o, --output <file>', 'file to write, such as run.tar.gz')
        .argParser(notEmpty('a file'))
        .makeOptionMandatory(),
    )
    .addHelpText('after', exportHelp)
    .action(async (name: string, { store, output, json }: CommonOptions & { output: string }) => {
      const { terminal, signal } = context
      const { storage, haltId } = await findDump(store, name)
      await writeWhole(output, await exportDump(storage, haltId, { signal }), signal)
      if (json) terminal.print(toSafeJson({ haltId, file: output }))
      else terminal.say(`Exported ${haltId} to ${cleanLine(output)}`)
    })
}
