import {
  cleanLine,
  cleanText,
  type DumpReport,
  deleteDump,
  listDumps,
  loadDump,
  restoreDump,
  type Storage,
  verifyDump,
} from '@tenfold/core'
import { type Command, Option } from 'commander'
import { createDump } from '../dump/create-dump.ts'
import { addCreateOptions, type CreateOptions, gitFiltersOption } from '../dump/create-options.ts'
import { dumpLines, dumpTable, restoredLines, writtenLines } from '../dump/dump-report.ts'
import { findDumpId } from '../dump/find-dump.ts'
import {
  createHelp,
  deleteHelp,
  groupHelp,
  listHelp,
  restoreHelp,
  showHelp,
  verifyHelp,
} from '../dump/help.ts'
import { notEmpty, storeOption, wholeNumber } from '../options/options.ts'
import { redactFault } from '../options/redact-options.ts'
import { openStorage } from '../store/open-store.ts'
import type { CommandContext } from '../terminal/command-context.ts'
import { type ExitCode, exitCodes } from '../terminal/exit-codes.ts'
import { toSafeJson } from '../terminal/json-output.ts'
import { formatBytes, formatNumberOf } from '../terminal/numbers.ts'

interface CommonOptions {
  readonly store: string
  readonly json?: true | undefined
}

interface RestoreOptions extends CommonOptions {
  readonly repository?: string | undefined
  readonly gitFilters?: true | undefined
}

export function addDumpCommand(program: Command, context: CommandContext): void {
  const group = program
    .command('dump')
    .description(
      'Keep what a halted run leaves behind: conversation, last run, patch, files, environment, state.',
    )
    .addHelpText('after', groupHelp)
  addCreate(group, context)
  addList(group, context)
  addOne(group, context, 'show', 'Print what a dump holds.', showHelp, show)
  addOne(
    group,
    context,
    'verify',
    'Check that a dump is complete and that each part is as it was written.',
    verifyHelp,
    verify,
  )
  addRestore(group, context)
  addOne(
    group,
    context,
    'delete',
    'Delete a dump, except the parts that another dump needs.',
    deleteHelp,
    remove,
  )
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
      terminal.print('TENFOLD_DUMP switches halt dumps off; nothing was written.')
    else terminal.print(writtenLines(dumped, terminal.style).join('\n'))
    context.finish(dumped.state === 'partial' || failed.length > 0 ? exitCodes.failed : exitCodes.done)
  })
}

type OneDump = (
  storage: Storage,
  haltId: string,
  options: CommonOptions,
  context: CommandContext,
) => Promise<ExitCode>

/** Adds a command that takes one dump and has no options of its own. */
function addOne(
  group: Command,
  context: CommandContext,
  name: string,
  description: string,
  help: string,
  run: OneDump,
): void {
  group
    .command(name)
    .description(description)
    .argument('<dump>', 'LATEST, or an id or its beginning')
    .addOption(storeOption())
    .option('--json', 'print one JSON object')
    .addHelpText('after', help)
    .action(async (dump: string, options: CommonOptions) => {
      const storage = await openStorage(options.store)
      context.finish(await run(storage, await findDumpId(storage, dump), options, context))
    })
}

const show: OneDump = async (storage, haltId, { json }, { terminal }) => {
  const dump = await loadDump(storage, haltId)
  const { read, ...rest } = dump
  terminal.print(json ? toSafeJson(rest, 2) : dumpLines(dump, terminal.style).join('\n'))
  return exitCodes.done
}

const verify: OneDump = async (storage, haltId, { json }, { terminal }) => {
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

const remove: OneDump = async (storage, haltId, { json }, { terminal }) => {
  const { deleted, kept } = await deleteDump(storage, haltId)
  if (json) terminal.print(toSafeJson({ haltId, deleted, kept }, 2))
  else {
    const stay =
      kept.length === 0 ? '' : `; ${formatNumberOf(kept.length, 'part')} kept, because other dumps need them`
    terminal.print(`Deleted ${haltId}${stay}.`)
  }
  return exitCodes.done
}

function addList(group: Command, context: CommandContext): void {
  group
    .command('list')
    .description('List dumps, newest first.')
    .addOption(storeOption())
    .option('--task <id>', 'only dumps of this task', notEmpty('a task'))
    .option('--project <id>', 'only dumps of this project', notEmpty('a project'))
    .addOption(new Option('--limit <n>', 'show at most n').argParser(wholeNumber(1)))
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
      else if (entries.length === 0) terminal.warn(`No halt dumps in ${cleanLine(store)}.`)
      else terminal.print(dumpTable(entries, terminal.style).join('\n'))
      context.finish(exitCodes.done)
    })
}

function addRestore(group: Command, context: CommandContext): void {
  group
    .command('restore')
    .description('Restore the files of a dump into a new folder, each checked by its hash.')
    .argument('<dump>', 'LATEST, or an id or its beginning')
    .argument(
      '<dir>',
      'new or empty folder with --repository, otherwise a clean checkout of the head of the dump',
    )
    .addOption(storeOption())
    .option(
      '--repository <repository>',
      'path or URL from which to clone the head of the dump',
      notEmpty('a repository'),
    )
    .option(...gitFiltersOption)
    .option('--json', 'print one JSON object')
    .addHelpText('after', restoreHelp)
    .action(async (name: string, dir: string, options: RestoreOptions) => {
      const { terminal, signal } = context
      const { store, repository, gitFilters } = options
      const storage = await openStorage(store)
      terminal.workWithoutReader()
      const restored = await restoreDump(storage, await findDumpId(storage, name), dir, {
        signal,
        repository,
        gitFilters,
      })
      terminal.print(
        options.json ? toSafeJson(restored, 2) : restoredLines(restored, terminal.style).join('\n'),
      )
      context.finish(restored.ok ? exitCodes.done : exitCodes.failed)
    })
}
