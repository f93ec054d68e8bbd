import { TenfoldError } from '@tenfold/core'
import {
  deleteDump,
  exportDump,
  listDumps,
  readDumpedFile,
  restoreDump,
  verifyDump,
} from '@tenfold/core/halt'
import { cleanLine, cleanText } from '@tenfold/core/internal'
import { createDump, createOptions, gitFiltersOption } from '../dump/create-dump.ts'
import { dumpLines, restoredLines, writtenLines } from '../dump/dump-report.ts'
import { findDump } from '../dump/find-dump.ts'
import { option } from '../options/option.ts'
import { dumpNames, limitOption, storeOption, storeToRead, taskOption } from '../options/options.ts'
import { notEmpty } from '../options/parsers.ts'
import { openStorage } from '../store/open-store.ts'
import { tableOf } from '../terminal/report.ts'
import { formatBytes, formatNumberOf } from '../terminal/text.ts'
import { writeOutput } from '../terminal/user-files.ts'
import { defineCommand, defineGroup } from './define-command.ts'
import { faultsText, labelOf } from './verify.ts'

const dumpArgument = ['<dump>', dumpNames] as const
const json = 'one JSON object'

const create = defineCommand({
  name: 'create',
  description: 'Dump a halted run. If one part fails, the others are still written.',
  options: createOptions,
  help: `
Secrets are redacted in every part. Committed files are not stored: the dump contains the files that differ from the
head (staged, unstaged, untracked), and a patch to be read. The index and the work tree are not changed.
TENFOLD_DUMP=off, or {"dump": {"create": {"off": true}}} in a config file, switches dumps off: nothing is written, and
the exit code is 0.

Examples:
  tenfold dump create --reason "out of budget" --log session.jsonl --task T-12 --iteration 3
  tenfold dump create --reason "timeout" --snapshot "logs/**" ".env" --prompt-file p.txt --stderr-file err.txt --exit-code 1

Exit codes: 0 everything was dumped, 1 a part could not be dumped (the rest was), 130 interrupted.`,
  async run(options, context) {
    context.terminal.workWithoutReader()
    const { dumped, failed } = await createDump(options, context)
    const off = 'Halt dumps are switched off (TENFOLD_DUMP, or off in a config file); nothing was written.'
    return {
      json: dumped,
      said: dumped.state === 'disabled' ? [off] : writtenLines(dumped, context.terminal.style),
      failed: dumped.state === 'partial' || failed.length > 0,
    }
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
  ],
  json: 'a JSON array',
  help: `
Examples:
  tenfold dump list --task T-12
  tenfold dump list --json | jq -r '.[].metadata.reason'`,
  async run({ store, task, project, limit }) {
    const entries = await listDumps(await openStorage(store), { taskId: task, projectId: project, limit })
    return {
      json: entries,
      table: tableOf(entries, [
        ['ID', ({ haltId }) => haltId],
        ['STATE', ({ state }) => state, { drop: 1 }],
        ['TASK', ({ metadata }) => metadata?.taskId, { max: 24 }],
        ['ITERATION', ({ metadata }) => metadata?.iteration?.toString(), { align: 'right', drop: 2 }],
        ['SIZE', ({ size }) => (size === undefined ? '' : formatBytes(size)), { align: 'right', drop: 3 }],
        ['REASON', ({ metadata }) => metadata?.reason, { max: 60 }],
      ]),
      none: `No halt dumps${task ? ` of task ${task}` : ''}${project ? ` of project ${project}` : ''} in ${store}.`,
    }
  },
})

const show = defineCommand({
  name: 'show',
  description: 'Print what is in a dump, or one file of it.',
  arguments: [dumpArgument],
  options: [
    storeOption,
    option('--file <path>', 'print this part, or this file of the sandbox if it is stored completely', {
      parse: notEmpty('a path'),
      conflicts: 'json',
    }),
  ],
  json,
  help: `
Examples:
  tenfold dump show LATEST
  tenfold dump show LATEST --file src/limiter.ts
  tenfold dump show T-12.tar.gz --file agent/conversation.jsonl
  tenfold dump show 20260304T0506 --json | jq '.metadata.missing'`,
  async run({ store, file }, { terminal }, name) {
    const dump = await findDump(store, name)
    if (file === undefined) {
      const { parts, ...json } = dump
      return { json, lines: dumpLines(dump, terminal) }
    }
    const bytes = await readDumpedFile(dump, file)
    if (bytes === undefined)
      throw new TenfoldError(
        'no-dump',
        `The dump ${dump.haltId} has no complete ${cleanLine(file)}; tenfold dump show ${dump.haltId} lists what it has.`,
      )
    // The bytes are printed unchanged, except that a terminal never gets escape sequences from a dump.
    const isTerminal = terminal.columns !== Number.POSITIVE_INFINITY
    terminal.write(isTerminal ? cleanText(Buffer.from(bytes).toString()) : bytes)
    return undefined
  },
})

const verify = defineCommand({
  name: 'verify',
  description: 'Check that a dump is complete and as it was written.',
  arguments: [dumpArgument],
  options: [storeOption],
  json,
  help: `
Examples:
  tenfold dump verify LATEST
  tenfold dump verify LATEST --json | jq '.findings'

Exit codes: 0 no faults (there may be warnings), 1 faults.`,
  async run({ store }, { terminal }, name) {
    const report = await verifyDump(await findDump(store, name))
    const { haltId, state, parts, bytes, findings } = report
    const faults = findings.filter(({ level }) => level === 'fault').length
    const intact = `${formatNumberOf(parts, 'part')} of ${formatBytes(bytes)} are intact`
    return {
      json: report,
      lines: [
        ...findings.map(
          (each) => `${labelOf({ ...each, repaired: false }, terminal.style)} ${cleanText(each.message)}`,
        ),
        `${haltId}, ${state}: ${intact}: ${faultsText(faults, findings.length - faults)}.`,
      ],
      failed: !report.ok,
    }
  },
})

const restore = defineCommand({
  name: 'restore',
  description: 'Restore the files of a dump into a new folder, each checked by its hash.',
  arguments: [
    dumpArgument,
    ['<dir>', 'new or empty folder with --repository, otherwise a clean checkout of the head of the dump'],
  ],
  options: [
    storeOption,
    option('--repository <repository>', 'path or URL from which to clone the head of the dump', {
      parse: notEmpty('a repository'),
    }),
    gitFiltersOption,
  ],
  json,
  help: `
The folder must be new or empty; without --repository, if the dump has a head, it must be a clean checkout of that head.
Files with secrets are restored with the secrets redacted, and are listed.

Examples:
  tenfold dump restore LATEST ../sandbox --repository .
  git worktree add --detach ../sandbox 0123abcd && tenfold dump restore LATEST ../sandbox

Exit codes: 0 everything is restored, except what the dump reports as redacted or left out; 1 something differs.`,
  async run({ store, repository, gitFilters }, { terminal, signal }, name, dir) {
    const dump = await findDump(store, name)
    terminal.workWithoutReader()
    const restored = await restoreDump(dump, dir, { signal, repository, gitFilters })
    return { json: restored, said: restoredLines(restored, terminal.style), failed: !restored.ok }
  },
})

const exportOne = defineCommand({
  name: 'export',
  description: 'Write a dump as one file, without the store.',
  arguments: [dumpArgument],
  options: [
    storeOption,
    option('-o, --output <file>', 'file to write, such as run.tar.gz', {
      parse: notEmpty('a file'),
      mandatory: true,
    }),
  ],
  json,
  help: `
The archive contains one folder with all parts, and completely stored files under their own paths. The commands show,
verify, restore and resume --dump read it.

Examples:
  tenfold dump export LATEST -o halted.tar.gz
  tenfold dump verify halted.tar.gz`,
  async run({ store, output }, { signal }, name) {
    const dump = await findDump(store, name)
    const { haltId } = dump
    await writeOutput(output, [await exportDump(dump)], { signal })
    return { json: { haltId, file: output }, indent: 0, said: [`Exported ${haltId} to ${cleanLine(output)}`] }
  },
})

const remove = defineCommand({
  name: 'delete',
  description: 'Delete a dump.',
  arguments: [dumpArgument],
  options: [storeOption],
  json,
  help: `
Examples:
  tenfold dump delete 20260304T050607089Z-123456789`,
  async run({ store }, _, name) {
    const { haltId } = await findDump(store, name)
    const { deleted } = await deleteDump(await openStorage(store), haltId)
    return { json: { haltId, deleted }, said: [`Deleted ${haltId}.`] }
  },
})

export const addCommand = defineGroup(
  {
    name: 'dump',
    description:
      'Save what a halted run leaves behind: conversation, last run, patch, files, environment, state.',
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
