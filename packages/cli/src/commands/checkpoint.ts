import { checkpoint, secretRedactor } from '@tenfold/core'
import { cleanLine, cleanText } from '@tenfold/core/internal'
import { InvalidArgumentError } from 'commander'
import {
  checkpointGuide,
  checkpointLines,
  liveLines,
  porcelainLines,
} from '../checkpoint/checkpoint-report.ts'
import { latestCheckpoint } from '../checkpoint/latest-checkpoint.ts'
import { option, type ValuesOf } from '../options/option.ts'
import { limitOption, storeOption, storeToRead, taskOption, trackOption } from '../options/options.ts'
import { listOf, notEmpty, parseCommand } from '../options/parsers.ts'
import { openCheckpoints } from '../store/open-checkpoints.ts'
import { openStorage, rememberMade } from '../store/open-store.ts'
import { printTable } from '../terminal/table.ts'
import type { CommandContext } from '../terminal/terminal.ts'
import { defineCommand, defineGroup } from './define-command.ts'

const porcelainOption = option(
  '--porcelain',
  'print key=value lines for scripts: track, step, note, branch, head, next_cmd, …',
  { conflicts: 'json' },
)

const saveOptions = [
  storeOption,
  trackOption('line of work that the checkpoint belongs to (default: the current track, or main)'),
  option('--step <text>', 'what is being done, on one line', { parse: notEmpty('a step'), mandatory: true }),
  option('--note <text>', 'what the next session must know'),
  option('--next-cmd <command>', 'the next command, on one line; it is shown, never run', {
    parse: parseCommand,
  }),
  option('--validation <state>', 'whether the work is checked', {
    choices: ['green', 'pending', 'failed'],
    default: 'pending',
  }),
  option('--label <text>', 'a name for the checkpoint', { parse: notEmpty('a label') }),
  taskOption('task that the checkpoint belongs to'),
  option('--extra <key=value>', 'anything else worth keeping; may be repeated', { parse: addExtra }),
  option('--file <path>', 'a file that the step is about; may be repeated', {
    parse: listOf(notEmpty('a path')),
  }),
  option('--no-set-current', 'keep the current track; for agents other than the primary one'),
  option('--no-redact', 'do not redact secrets'),
  option('--json', 'print one JSON object: the checkpoint and where it is stored'),
  porcelainOption,
] as const

const resumeOptions = [
  storeOption,
  trackOption('track to read (default: the current track)'),
  option('--live', 'compare it with the current state of the repository in this folder'),
  option('--json', 'print one JSON object: checkpoint, current, live'),
  porcelainOption,
] as const

const listOptions = [
  storeToRead,
  trackOption('only this track'),
  option('--task <id>', 'only checkpoints of this task'),
  limitOption,
  option('--json', 'print a JSON array'),
] as const

export const addCommand = defineGroup(
  {
    name: 'checkpoint',
    description: 'Save the state of the work midway, and read it on a cold start.',
    help: `
Examples:
  tenfold checkpoint save --track main --step "wire the parser" --next-cmd "npm test" --validation green
  tenfold checkpoint resume --live
  tenfold checkpoint list --track main`,
  },
  [
    defineCommand({
      name: 'save',
      alias: 'snapshot',
      description:
        'Save a checkpoint: the current step and the next command, with branch, head and changed files.',
      options: saveOptions,
      help: `
Examples:
  tenfold checkpoint save --track main --step "wire the parser" --next-cmd "npm test -- parse" --validation green
  tenfold checkpoint save --track review --step "read the diff" --note "$(cat note.md)" --extra pr=12 --no-set-current`,
      run: save,
    }),
    defineCommand({
      name: 'resume',
      description: 'Print the newest checkpoint in a few lines; with --live, also what no longer holds.',
      options: resumeOptions,
      help: `
Examples:
  tenfold checkpoint resume --live
  tenfold checkpoint resume --track review --json | jq -r '.checkpoint.nextCommand // empty'
  tenfold checkpoint resume --porcelain | sed -n 's/^next_cmd=//p'`,
      run: resumeCheckpoint,
    }),
    defineCommand({
      name: 'list',
      description: 'List checkpoints, newest first.',
      options: listOptions,
      help: `
Examples:
  tenfold checkpoint list --limit 5
  tenfold checkpoint list --json | jq -r '.[].step'`,
      run: listCheckpoints,
    }),
    defineCommand({
      name: 'guide',
      description: 'Print instructions for agents, as Markdown for AGENTS.md or CLAUDE.md.',
      help: `
Examples:
  tenfold checkpoint guide >> AGENTS.md`,
      run: (_, { terminal }) => terminal.write(checkpointGuide),
    }),
  ],
)

async function save(
  options: ValuesOf<typeof saveOptions>,
  { terminal, signal }: CommandContext,
): Promise<void> {
  const { track, step, note, nextCmd, validation, label, task, extra, file, setCurrent } = options
  rememberMade(options.store, terminal)
  const saved = await checkpoint({
    store: { storage: await openStorage(options.store, { blocking: true }) },
    track,
    step,
    validation,
    setCurrent,
    signal,
    note,
    nextCommand: nextCmd,
    label,
    task,
    extra,
    files: file,
    ignore: [options.store],
    redactors: options.redact ? [secretRedactor()] : [],
  })
  if (saved.warning !== undefined) terminal.warn(`warning: ${cleanText(saved.warning)}`)
  if (nextCmd === undefined)
    terminal.warn('warning: no --next-cmd: whoever resumes has to find out again how to go on')
  if (options.json) return terminal.printJson(saved)
  if (options.porcelain) return terminal.print(porcelainLines(saved.checkpoint).join('\n'))
  const place = `a checkpoint of track ${saved.track}${setCurrent ? ', now the current track' : ''}`
  terminal.say(`Saved ${saved.id}, ${place}.`)
  terminal.say(checkpointLines(saved.checkpoint, terminal.style).slice(1).join('\n'))
  terminal.hint('To go on from it: tenfold checkpoint resume --live')
}

async function resumeCheckpoint(
  options: ValuesOf<typeof resumeOptions>,
  { terminal, signal }: CommandContext,
): Promise<void> {
  const store = await openCheckpoints(options.store, terminal)
  const latest = await latestCheckpoint(store, {
    ...{ track: options.track, signal, ignore: [options.store] },
    live: options.live ? process.cwd() : undefined,
    advice: {
      place: store.storage.name,
      save: 'Save one with: tenfold checkpoint save --track main --step "…".',
      choose: 'name one with --track.',
    },
  })
  const { checkpoint, current, repaired, live } = latest
  if (repaired !== undefined) terminal.warn(`warning: ${cleanText(repaired)}`)
  if (options.json) return terminal.printJson({ checkpoint, current, live })
  if (options.porcelain) return terminal.print(porcelainLines(checkpoint, live).join('\n'))
  const lines = checkpointLines(checkpoint, terminal.style)
  terminal.print([...lines, ...(live === undefined ? [] : liveLines(live, terminal.style))].join('\n'))
}

async function listCheckpoints(
  options: ValuesOf<typeof listOptions>,
  { terminal, signal }: CommandContext,
): Promise<void> {
  const { store, track, task, limit } = options
  const checkpoints = await openCheckpoints(store, terminal)
  const entries = await checkpoints.list({ track, task }, { signal })
  const shown = entries.slice(0, limit)
  if (options.json) return terminal.printJson(shown, 2)
  if (shown.length === 0) {
    const which = [track && ` on track ${track}`, task && ` of task ${task}`].filter(Boolean).join('')
    return terminal.note(cleanLine(`No checkpoints${which} in ${store}.`))
  }
  const rows = shown.map((entry) => [
    entry.id,
    entry.track,
    cleanLine(entry.label ?? ''),
    entry.validation,
    cleanLine(entry.branch ?? ''),
    (entry.head ?? '').slice(0, 8),
    entry.step,
    entry.nextCommand ?? '',
  ])
  printTable(terminal, columns, rows)
  if (shown.length < entries.length)
    terminal.say(terminal.style.dim(`… ${entries.length - shown.length} older`))
}

const columns = [
  { title: 'ID' },
  { title: 'TRACK', max: 20, drop: 1 },
  { title: 'LABEL', max: 24, drop: 6, isOptional: true },
  { title: 'VALIDATION', drop: 2 },
  { title: 'BRANCH', max: 24, drop: 3 },
  { title: 'HEAD', drop: 4 },
  { title: 'STEP', max: 50 },
  { title: 'NEXT COMMAND', max: 60, drop: 5 },
] as const

function addExtra(value: string, before: Readonly<Record<string, string>> = {}): Record<string, string> {
  const [, key, text] = /^([A-Za-z0-9][A-Za-z0-9_.-]{0,63})=([\s\S]*)$/.exec(value) ?? []
  const expected = 'expected key=value, with a key made of A-Z, a-z, 0-9, ".", "_" and "-"'
  if (key === undefined || text === undefined)
    throw new InvalidArgumentError(`${expected}, got ${JSON.stringify(value)}`)
  if (Object.hasOwn(before, key)) throw new InvalidArgumentError(`expected the key ${key} once`)
  return { ...before, [key]: text }
}
