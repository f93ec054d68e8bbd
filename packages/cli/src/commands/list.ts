import { cleanLine } from '@tenfold/core/internal'
import { option, type ValuesOf } from '../options/option.ts'
import {
  kindOption,
  limitOption,
  madeSinceOption,
  storeToRead,
  taskOption,
  trackOption,
} from '../options/options.ts'
import { timeAt } from '../options/parsers.ts'
import { openStore } from '../store/open-store.ts'
import { formatCount, formatShare } from '../terminal/numbers.ts'
import { printTable } from '../terminal/table.ts'
import type { CommandContext } from '../terminal/terminal.ts'
import { defineCommand } from './define-command.ts'

const options = [
  storeToRead,
  trackOption('only this track'),
  kindOption('only this kind'),
  option('--session <id>', 'only bundles of the session with this id, or whose id begins so'),
  taskOption('only bundles of this task'),
  madeSinceOption,
  option('--until <time>', 'only bundles made until a time; a date includes the whole day', {
    parse: timeAt('end'),
  }),
  limitOption,
  option('--json', 'print a JSON array'),
] as const

type ListOptions = ValuesOf<typeof options>

export const addCommand = defineCommand({
  name: 'list',
  description: 'List the bundles of a store, newest first.',
  options,
  help: `
Examples:
  tenfold list
  tenfold list --track review --limit 5
  tenfold list --task T-12                all phases of a task
  tenfold list --since 7d --kind plan
  tenfold list --json | jq -r '.[].id'`,
  run: listBundles,
})

async function listBundles(options: ListOptions, { terminal, signal }: CommandContext): Promise<void> {
  const { track, kind, session, task, since, until, limit } = options
  const store = await openStore(options.store, terminal, { blocking: true })
  // One more than is shown: its presence means that older bundles exist.
  const most = limit === undefined || session !== undefined ? undefined : limit + 1
  const listed = await store.list({ track, kind, task, since, until, limit: most }, { signal })
  const entries = listed.filter(({ sessionId }) => session === undefined || sessionId.startsWith(session))
  const shown = entries.reverse().slice(0, limit)
  if (options.json) return terminal.printJson(shown, 2)
  if (shown.length === 0) {
    const tracks = await store.tracks()
    const isOther = track !== undefined && !tracks.includes(track) && tracks.length > 0
    const others = isOther ? ` It has the tracks ${tracks.join(', ')}.` : ''
    const which = tracks.length === 0 ? '' : whichBundles(options)
    return terminal.note(`No bundles${which} in ${cleanLine(options.store)}.${others}`)
  }
  const rows = shown.map((entry) => [
    entry.id,
    entry.track,
    entry.kind,
    cleanLine(entry.state ?? ''),
    entry.sourceTokens === 0 ? '' : formatCount(entry.sourceTokens),
    formatCount(entry.bundleTokens),
    entry.sourceTokens === 0 ? '' : formatShare(entry.ratio, 2),
    entry.format,
    cleanLine(entry.title ?? entry.sessionId),
    cleanLine(entry.nextStep ?? ''),
  ])
  printTable(terminal, columns, rows)
  if (shown.length < entries.length)
    terminal.say(terminal.style.dim('… and older bundles; raise --limit to see them'))
}

/** ` of kind plan, of task T-1`: the bundles that were asked for. */
function whichBundles({ track, kind, session, task, since, until }: ListOptions): string {
  const conditions = [
    track && `on track ${track}`,
    kind && `of kind ${kind}`,
    task && `of task ${cleanLine(task)}`,
    session && `of session ${cleanLine(session)}`,
    since && `since ${since.toISOString()}`,
    until && `until ${until.toISOString()}`,
  ].filter(Boolean)
  return conditions.length === 0 ? '' : ` ${conditions.join(', ')}`
}

const columns = [
  { title: 'ID' },
  { title: 'TRACK', max: 20, drop: 2 },
  { title: 'KIND', drop: 6 },
  { title: 'STATE', drop: 3 },
  { title: 'SOURCE', align: 'right', drop: 5 },
  { title: 'BUNDLE', align: 'right', drop: 4 },
  { title: 'RATIO', align: 'right', drop: 1 },
  { title: 'FORMAT', drop: 7 },
  { title: 'SESSION', max: 40 },
  { title: 'NEXT STEP', max: 60, drop: 8 },
] as const
