import { type Checkpoint, checkpoint, secretRedactor } from '@tenfold/core'
import { cleanText, findingLines, gitLine, shownNames } from '@tenfold/core/internal'
import type { LiveCheck } from '@tenfold/core/store'
import { InvalidArgumentError } from 'commander'
import { latestCheckpoint } from '../checkpoint/latest-checkpoint.ts'
import { option } from '../options/option.ts'
import { limitOption, storeOption, storeToRead, taskOption, trackOption } from '../options/options.ts'
import { bad, listOf, notEmpty, parseCommand } from '../options/parsers.ts'
import { openCheckpoints, openStorage, openStore, rememberMade } from '../store/open-store.ts'
import { tableOf } from '../terminal/report.ts'
import type { Style, Terminal } from '../terminal/terminal.ts'
import { defineCommand, defineGroup } from './define-command.ts'

const save = defineCommand({
  name: 'save',
  alias: 'snapshot',
  description:
    'Save a checkpoint: the current step and the next command, with branch, head and changed files.',
  options: [
    storeOption,
    trackOption('line of work that the checkpoint belongs to (default: the current track, or main)'),
    option('--step <text>', 'what is being done, on one line', {
      parse: notEmpty('a step'),
      mandatory: true,
    }),
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
  ],
  json: 'one JSON object: the checkpoint and where it is stored',
  help: `
Examples:
  tenfold checkpoint save --track main --step "wire the parser" --next-cmd "npm test -- parse" --validation green
  tenfold checkpoint save --track review --step "read the diff" --note "$(cat note.md)" --extra pr=12 --no-set-current`,
  async run({ store, nextCmd, file, redact, ...given }, { terminal, signal }) {
    const { track, step, note, validation, label, task, extra, setCurrent } = given
    rememberMade(store, terminal)
    const saved = await checkpoint({
      ...{ track, step, note, validation, label, task, extra, setCurrent, signal },
      store: { storage: await openStorage(store, { blocking: true }) },
      nextCommand: nextCmd,
      files: file,
      ignore: [store],
      redactors: redact ? [secretRedactor()] : [],
    })
    if (saved.warning !== undefined) terminal.warn(`warning: ${cleanText(saved.warning)}`)
    if (nextCmd === undefined)
      terminal.warn('warning: without --next-cmd, whoever resumes must find out how to continue')
    const place = `a checkpoint of track ${saved.track}${setCurrent ? ', now the current track, which resume and hooks continue' : ''}`
    if (!terminal.json) terminal.hint('To continue from it: tenfold checkpoint resume --live')
    return {
      json: saved,
      indent: 0,
      said: [`Saved ${saved.id}, ${place}.`, ...checkpointLines(saved.checkpoint, terminal.style).slice(1)],
    }
  },
})

const resumeNewest = defineCommand({
  name: 'resume',
  description: 'Print the newest checkpoint in a few lines; with --live, also what is no longer true.',
  options: [
    storeOption,
    trackOption('track to read (default: the current track)'),
    option('--live', 'compare it with the current state of the repository in this folder'),
    option('--porcelain', 'print key=value lines for scripts: track, step, note, branch, head, next_cmd, …', {
      conflicts: 'json',
    }),
  ],
  json: 'one JSON object: checkpoint, current, live',
  help: `
Examples:
  tenfold checkpoint resume --live
  tenfold checkpoint resume --track review --json | jq -r '.checkpoint.nextCommand // empty'
  tenfold checkpoint resume --porcelain | sed -n 's/^next_cmd=//p'`,
  async run({ store, track, live: compares, porcelain }, { terminal, signal }) {
    const checkpoints = await openCheckpoints(store, terminal)
    const { checkpoint, current, repaired, live } = await latestCheckpoint(checkpoints, {
      ...{ track, signal, ignore: [store] },
      live: compares ? process.cwd() : undefined,
      advice: {
        place: checkpoints.storage.name,
        save: 'Save one with: tenfold checkpoint save --track main --step "…".',
        choose: 'choose one with --track.',
      },
    })
    if (repaired !== undefined) terminal.warn(`warning: ${cleanText(repaired)}`)
    const { warnOfOrigin } = await import('../store/shown-origin.ts')
    await warnOfOrigin(terminal, checkpoints, store, checkpoint.id)
    const { style } = terminal
    await noteIfOlder(checkpoint, store, terminal)
    return {
      json: { checkpoint, current, live },
      indent: 0,
      lines: porcelain
        ? porcelainLines(checkpoint, live)
        : [...checkpointLines(checkpoint, style), ...(live === undefined ? [] : liveLines(live, style))],
    }
  },
})

async function noteIfOlder({ track, createdAt }: Checkpoint, place: string, terminal: Terminal) {
  const store = await openStore(place, terminal)
  // Hooks put sessions on the main track, even if the agent's checkpoints are on another one.
  const newest =
    (await store.list({ track, limit: 1 }))[0] ?? (await store.list({ track: 'main', limit: 1 }))[0]
  if (newest === undefined || newest.createdAt <= createdAt) return
  const option = newest.track === 'main' ? '' : ` --track ${newest.track}`
  terminal.note(
    `It is older than the bundle ${newest.id} of a session that may have done its step; to continue from that: tenfold resume${option}`,
  )
}

const list = defineCommand({
  name: 'list',
  description: 'List checkpoints, newest first.',
  options: [
    storeToRead,
    trackOption('only this track'),
    option('--task <id>', 'only checkpoints of this task'),
    limitOption,
  ],
  json: 'a JSON array',
  help: `
Examples:
  tenfold checkpoint list --limit 5
  tenfold checkpoint list --json | jq -r '.[].step'`,
  async run({ store, track, task, limit }, { terminal, signal }) {
    const entries = await (await openCheckpoints(store, terminal)).list({ track, task }, { signal })
    const shown = entries.slice(0, limit)
    const older = entries.length - shown.length
    return {
      json: shown,
      table: tableOf(shown, [
        ['ID', ({ id }) => id],
        ['TRACK', (entry) => entry.track, { max: 20, drop: 1 }],
        ['LABEL', ({ label }) => label, { max: 24, drop: 6, isOptional: true }],
        ['VALIDATION', ({ validation }) => validation, { drop: 2 }],
        ['BRANCH', ({ branch }) => branch, { max: 24, drop: 3 }],
        ['HEAD', ({ head }) => head?.slice(0, 8), { drop: 4 }],
        ['STEP', ({ step }) => step, { max: 50 }],
        ['NEXT COMMAND', ({ nextCommand }) => nextCommand, { max: 60, drop: 5 }],
      ]),
      none: `No checkpoints${track ? ` on track ${track}` : ''}${task ? ` of task ${task}` : ''} in ${store}.`,
      said: [older > 0 && terminal.style.dim(`… and ${older} older`)],
    }
  },
})

const guide = defineCommand({
  name: 'guide',
  description: 'Print instructions for agents, as Markdown for AGENTS.md or CLAUDE.md.',
  help: `
Examples:
  tenfold checkpoint guide >> AGENTS.md`,
  run: (_, { terminal }) => terminal.write(checkpointGuide),
})

export const addCommand = defineGroup(
  {
    name: 'checkpoint',
    description: 'Save the state of unfinished work, and read it on a cold start.',
    help: `
Examples:
  tenfold checkpoint save --track main --step "wire the parser" --next-cmd "npm test" --validation green
  tenfold checkpoint resume --live
  tenfold checkpoint list --track main`,
  },
  [save, resumeNewest, list, guide],
)

function addExtra(value: string, before: Readonly<Record<string, string>> = {}): Record<string, string> {
  const [, key, text] = /^([A-Za-z0-9][A-Za-z0-9_.-]{0,63})=([\s\S]*)$/.exec(value) ?? []
  if (key === undefined || text === undefined)
    throw bad('key=value, with a key made of A-Z, a-z, 0-9, ".", "_" and "-"', value)
  if (Object.hasOwn(before, key)) throw new InvalidArgumentError(`expected the key ${key} only once`)
  return { ...before, [key]: text }
}

export function checkpointLines(checkpoint: Checkpoint, style: Style): string[] {
  const { git, files, extra, note, nextCommand, task, label } = checkpoint
  const about = [label && `label ${label}`, task && `task ${task}`].filter(Boolean).join(', ')
  const colour = { green: style.green, failed: style.red, pending: style.yellow }
  const fields: [name: string, value: string | undefined][] = [
    ['Step', checkpoint.step],
    ['Next', nextCommand && `${style.bold(nextCommand)}${style.dim('  (not run)')}`],
    ['Validation', colour[checkpoint.validation](checkpoint.validation)],
    ['About', about],
    ['Git', git && gitLine(git)],
    ['Changed', git && git.changed > 0 ? shownNames(namesOf(git.files), git.changed, 8) : ''],
    ['Files', shownNames(namesOf(files), files.length, 12)],
    ['Bundle', checkpoint.bundle],
    [
      'Extra',
      Object.entries(extra)
        .map(([key, value]) => `${key}=${value}`)
        .join(', ')
        .replace(/\s+/g, ' '),
    ],
    ['Note', note.replaceAll('\n', '\n  ')],
  ]
  const lines = fields.flatMap(([name, value]) => (value ? [`${style.dim(`${name}:`)} ${value}`] : []))
  return [`Checkpoint ${checkpoint.id} of track ${checkpoint.track}, ${checkpoint.createdAt}`, ...lines]
}

/** The names and their order are stable, and each value is one line. A live check adds `holds` and `stale`. */
function porcelainLines(checkpoint: Checkpoint, live?: LiveCheck): string[] {
  const { track, step, note, git, nextCommand, validation, id, label, task, createdAt, extra } = checkpoint
  const fields: [name: string, value: unknown][] = [
    ...Object.entries({ track, step, note, branch: git?.branch, head: git?.head, next_cmd: nextCommand }),
    ...Object.entries({ validation, id, time: createdAt, label, task }),
    ...Object.entries(extra).map(([name, value]): [string, unknown] => [`extra.${name}`, value]),
    ...(live === undefined ? [] : [['holds', live.holds] as [string, boolean]]),
    ...(live?.findings ?? []).map(({ message }): [string, string] => ['stale', message]),
  ]
  const escaped = (value: unknown) =>
    String(value ?? '')
      .replaceAll('\\', '\\\\')
      .replaceAll('\n', '\\n')
  return fields.map(([name, value]) => `${name}=${escaped(value)}`)
}

function liveLines({ git, holds, findings }: LiveCheck, style: Style): string[] {
  const now = git.state === 'repository' ? [`${style.dim('Now:')} ${gitLine(git)}`] : []
  if (holds) return [...now, style.green('Live: everything that can be checked is still true.')]
  return [...now, style.yellow('Since then:'), ...findingLines(findings)]
}

function namesOf(files: readonly { readonly path: string }[]): string[] {
  return files.map((file) => file.path)
}

const checkpointGuide = `## Checkpoints

Work here outlives your context. Keep its state with \`tenfold\`, on a track of your own if other agents work here too.

After a compaction, and whenever you do not know the state of the work:

1. Run \`tenfold checkpoint resume --live\` (with \`--track NAME\` if you have a track of your own).
   Without the command, read \`.agents/bundles/checkpoints/LATEST.md\`.
2. Compare branch, head and files with what it says. What no longer holds comes first.
3. If the next command of your own track still fits what you were asked to do, run it; do not do finished work again.
4. Save a new checkpoint before you begin something new.

Before a long command, a subagent, or the next phase, and when a step is done:

    tenfold checkpoint save --track main --step "what is done" --next-cmd "the exact next command" \\
      --validation green --note "what was learned" --file path/of/a/file --extra key=value

- \`--next-cmd\` matters most: it is what the next context starts with.
- \`--validation\` is green, pending or failed: say what was checked, not what you hope.
- Agents that work beside the main one add \`--no-set-current\` and their own \`--track\`.

At the end of a phase, save what you found and decided: \`tenfold save FILE.md\` (see \`tenfold save --help\`).
`
