import { TenfoldError } from '@tenfold/core'
import {
  type DumpReport,
  deleteDump,
  exportDump,
  type HaltDump,
  listDumps,
  loadDump,
  readDumpedFile,
  restoreDump,
  verifyDump,
} from '@tenfold/core/halt'
import { cleanLine, cleanText, snapshotPaths } from '@tenfold/core/internal'
import { createDump, createOptions, gitFiltersOption } from '../dump/create-dump.ts'
import { dumpLines, printDumps, restoredLines, writtenLines } from '../dump/dump-report.ts'
import { findDump } from '../dump/find-dump.ts'
import { option } from '../options/option.ts'
import { dumpNames, limitOption, storeOption, storeToRead, taskOption } from '../options/options.ts'
import { notEmpty } from '../options/parsers.ts'
import { openStorage } from '../store/open-store.ts'
import { exitCodes } from '../terminal/exit-codes.ts'
import { toSafeJson } from '../terminal/json-output.ts'
import { formatBytes, formatNumberOf } from '../terminal/numbers.ts'
import { writeOutput } from '../terminal/replace-file.ts'
import type { CommandContext } from '../terminal/terminal.ts'
import { defineCommand, defineGroup } from './define-command.ts'

const dumpArgument = ['<dump>', dumpNames] as const
const dumpOptions = [storeOption, option('--json', 'print one JSON object')] as const

const create = defineCommand({
  name: 'create',
  description: 'Dump a halted run. If one part fails, the others are still written.',
  options: createOptions,
  help: `
Secrets are replaced by marks in every part. Committed files are not stored: the dump holds what differs from the head,
staged, unstaged and untracked, as one patch for git apply. The index and the work tree stay as they are.
TENFOLD_DUMP=off, or {"dump": {"create": {"off": true}}} in a config file, switches dumps off: nothing is written, and
the exit code is 0.

Examples:
  tenfold dump create --reason "out of budget" --log session.jsonl --task T-12 --iteration 3
  tenfold dump create --reason "crashed" --state-key run:12 --state-command 'redis-cli GET "$TENFOLD_STATE_KEY"'
  tenfold dump create --reason "timeout" --snapshot "logs/**" ".env" --prompt-file p.txt --stderr-file err.txt --exit-code 1

Exit codes: 0 everything was dumped, 1 a part could not be dumped (the rest was), 130 interrupted.`,
  async run(options, context) {
    const { terminal } = context
    terminal.workWithoutReader()
    const { dumped, failed } = await createDump(options, context)
    if (options.json) terminal.printJson(dumped, 2)
    else if (dumped.state === 'disabled')
      terminal.say(
        'Halt dumps are switched off (TENFOLD_DUMP, or off in a config file); nothing was written.',
      )
    else terminal.say(writtenLines(dumped, terminal.style).join('\n'))
    return dumped.state === 'partial' || failed.length > 0 ? exitCodes.failed : exitCodes.done
  },
})

const list = defineCommand({
  name: 'list',
  description: 'List dumps, newest first.',
  options: [
    storeToRead,
    taskOption('only dumps of this task'),
    option('--project <id>', 'only dumps of this project', { parse: notEmpty('a project') }),
    limitOption,
    option('--json', 'print a JSON array'),
  ],
  help: `
Examples:
  tenfold dump list --task T-12
  tenfold dump list --json | jq -r '.[].metadata.reason'`,
  async run({ store, task, project, limit, json }, { terminal }) {
    const storage = await openStorage(store)
    const entries = await listDumps(storage, { taskId: task, projectId: project, limit })
    if (json) return terminal.printJson(entries, 2)
    if (entries.length > 0) return printDumps(entries, terminal)
    const which = [task && ` of task ${task}`, project && ` of project ${project}`].filter(Boolean).join('')
    terminal.note(cleanLine(`No halt dumps${which} in ${store}.`))
  },
})

const show = defineCommand({
  name: 'show',
  description: 'Print what a dump holds, or one file of it.',
  arguments: [dumpArgument],
  options: [
    ...dumpOptions,
    option('--file <path>', 'print this part, or this file of the sandbox if it is stored whole', {
      parse: notEmpty('a path'),
      conflicts: 'json',
    }),
  ],
  help: `
Examples:
  tenfold dump show LATEST
  tenfold dump show LATEST --file src/limiter.ts
  tenfold dump show T-12.tar.gz --file agent/conversation.jsonl
  tenfold dump show 20260304T0506 --json | jq '.manifest.missing'`,
  async run({ store, file, json }, context, name) {
    const { terminal } = context
    const { storage, haltId } = await findDump(store, name)
    const dump = await loadDump(storage, haltId)
    if (file !== undefined) return await printFile(dump, file, context)
    const names = await snapshotPaths(dump)
    if (!json) return terminal.print(dumpLines(dump, names, terminal).join('\n'))
    const { read, ...rest } = dump
    terminal.printJson({ ...rest, snapshots: Object.fromEntries(names) }, 2)
  },
})

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

const verify = defineCommand({
  name: 'verify',
  description: 'Check that a dump is complete and that each part is as it was written.',
  arguments: [dumpArgument],
  options: dumpOptions,
  help: `
Examples:
  tenfold dump verify LATEST
  tenfold dump verify LATEST --json | jq '.findings'

Exit codes: 0 no faults (there may be warnings), 1 faults.`,
  async run({ store, json }, { terminal }, name) {
    const { storage, haltId } = await findDump(store, name)
    const report = await verifyDump(storage, haltId)
    terminal.print(json ? toSafeJson(report, 2) : reportLines(report, terminal.style).join('\n'))
    return report.ok ? exitCodes.done : exitCodes.failed
  },
})

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

const restore = defineCommand({
  name: 'restore',
  description: 'Restore the files of a dump into a new folder, each checked by its hash.',
  arguments: [
    dumpArgument,
    ['<dir>', 'new or empty folder with --repository, otherwise a clean checkout of the head of the dump'],
  ],
  options: [
    ...dumpOptions,
    option('--repository <repository>', 'path or URL from which to clone the head of the dump', {
      parse: notEmpty('a repository'),
    }),
    gitFiltersOption,
  ],
  help: `
The folder must be new or empty; without --repository, if the dump has a head, it must be a clean checkout of that head.
Files that held secrets are restored with marks in place of the secrets, and are listed.

Examples:
  tenfold dump restore LATEST ../sandbox --repository .
  git worktree add --detach ../sandbox 0123abcd && tenfold dump restore LATEST ../sandbox

Exit codes: 0 everything is restored, except what the dump reports as redacted or left out; 1 something differs.`,
  async run({ store, repository, gitFilters, json }, { terminal, signal }, name, dir) {
    const { storage, haltId } = await findDump(store, name)
    terminal.workWithoutReader()
    const restored = await restoreDump(storage, haltId, dir, { signal, repository, gitFilters })
    if (json) terminal.printJson(restored, 2)
    else terminal.say(restoredLines(restored, terminal.style).join('\n'))
    return restored.ok ? exitCodes.done : exitCodes.failed
  },
})

const exportOne = defineCommand({
  name: 'export',
  description: 'Pack a dump into one file that needs no other dump.',
  arguments: [dumpArgument],
  options: [
    ...dumpOptions,
    option('-o, --output <file>', 'file to write, such as run.tar.gz', {
      parse: notEmpty('a file'),
      mandatory: true,
    }),
  ],
  help: `
The file unpacks to one folder with all parts, and with the files that are stored whole under their own paths. The
commands show, verify, restore and resume --dump read the file, or the folder that tar -xzf makes of it.

Examples:
  tenfold dump export LATEST -o halted.tar.gz
  tenfold dump verify halted.tar.gz`,
  async run({ store, output, json }, { terminal, signal }, name) {
    const { storage, haltId } = await findDump(store, name)
    await writeOutput(output, await exportDump(storage, haltId, { signal }), { signal })
    if (json) terminal.printJson({ haltId, file: output })
    else terminal.say(`Exported ${haltId} to ${cleanLine(output)}`)
  },
})

const remove = defineCommand({
  name: 'delete',
  description: 'Delete a dump.',
  arguments: [dumpArgument],
  options: dumpOptions,
  help: `
Examples:
  tenfold dump delete 20260304T050607089Z-123456789`,
  async run({ store, json }, { terminal }, name) {
    const { storage, haltId } = await findDump(store, name)
    const { deleted } = await deleteDump(storage, haltId)
    if (json) terminal.printJson({ haltId, deleted }, 2)
    else terminal.say(`Deleted ${haltId}.`)
  },
})

export const addCommand = defineGroup(
  {
    name: 'dump',
    description:
      'Keep what a halted run leaves behind: conversation, last run, patch, files, environment, state.',
    help: `
Examples:
  tenfold dump create --reason "out of budget" --log session.jsonl --task T-12
  tenfold dump list
  tenfold dump restore LATEST ../sandbox --repository .
  tenfold dump export T-12 -o T-12.tar.gz
  claude "$(tenfold resume --dump LATEST)"`,
  },
  [create, list, show, verify, restore, exportOne, remove],
)
