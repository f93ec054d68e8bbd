import { option } from '../options/option.ts'
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
import { tableOf } from '../terminal/report.ts'
import { formatCount, formatShare } from '../terminal/text.ts'
import { defineCommand } from './define-command.ts'

export const addCommand = defineCommand({
  name: 'list',
  description: 'List the bundles of a store, newest first.',
  options: [
    storeToRead,
    trackOption('only this track'),
    kindOption('only this kind'),
    option('--session <id>', 'only bundles of the session with this id or beginning of an id'),
    taskOption('only bundles of this task'),
    madeSinceOption,
    option('--until <time>', 'only bundles made until a time; a date includes the whole day', {
      parse: timeAt('end'),
    }),
    limitOption,
  ],
  json: 'a JSON array',
  help: `
Examples:
  tenfold list
  tenfold list --track review --limit 5
  tenfold list --task T-12                all phases of a task
  tenfold list --json | jq -r '.[].id'`,
  async run({ store: place, session, limit, ...filter }, { terminal, signal }) {
    const { track, kind, task, since, until } = filter
    const store = await openStore(place, terminal, { blocking: true })
    // One more than is shown, to detect that there are older bundles.
    const most = limit === undefined || session !== undefined ? undefined : limit + 1
    const listed = await store.list({ track, kind, task, since, until, limit: most }, { signal })
    const entries = listed.filter(({ sessionId }) => session === undefined || sessionId.startsWith(session))
    const shown = entries.reverse().slice(0, limit)
    const tracks = shown.length > 0 ? [] : await store.tracks()
    const conditions = [
      track && `on track ${track}`,
      kind && `of kind ${kind}`,
      task && `of task ${task}`,
      session && `of session ${session}`,
      since && `since ${since.toISOString()}`,
      until && `until ${until.toISOString()}`,
    ].filter(Boolean)
    const which = tracks.length === 0 || conditions.length === 0 ? '' : ` ${conditions.join(', ')}`
    const older = '… and older bundles; raise --limit to see them'
    const isOther = track !== undefined && !tracks.includes(track) && tracks.length > 0
    return {
      json: shown,
      table: tableOf(shown, [
        ['ID', ({ id }) => id],
        ['TRACK', (entry) => entry.track, { max: 20, drop: 2 }],
        ['KIND', (entry) => entry.kind, { drop: 6 }],
        ['STATE', ({ state }) => state, { drop: 3 }],
        // A bundle made without a log has no source tokens.
        ['SOURCE', ({ sourceTokens: size }) => (size ? formatCount(size) : ''), { align: 'right', drop: 5 }],
        ['BUNDLE', ({ bundleTokens }) => formatCount(bundleTokens), { align: 'right', drop: 4 }],
        [
          'RATIO',
          (entry) =>
            entry.sourceTokens
              ? `${formatShare(entry.ratio, 2)}${entry.band === 'small' ? ' small' : ''}`
              : '',
          { align: 'right', drop: 1 },
        ],
        ['FORMAT', ({ format }) => format, { drop: 7 }],
        ['SESSION', ({ title, sessionId }) => title ?? sessionId, { max: 40 }],
        ['NEXT STEP', ({ nextStep }) => nextStep, { max: 60, drop: 8 }],
      ]),
      none: `No bundles${which} in ${place}.${isOther ? ` Its tracks are ${tracks.join(', ')}.` : ''}`,
      said: [shown.length < entries.length && terminal.style.dim(older)],
    }
  },
})
