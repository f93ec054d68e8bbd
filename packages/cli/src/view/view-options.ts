import { readerOptions, redactOptions } from '../options/log-options.ts'
import { option, optionOf, type ValuesOf } from '../options/option.ts'
import { storeOption, trackOfLatest } from '../options/options.ts'
import { bad, notEmpty } from '../options/parsers.ts'

export const viewOptions = [
  option('-o, --output <file>', 'page to write, or - for stdout (default: NAME.html); with --all, a folder', {
    parse: notEmpty('a file'),
  }),
  optionOf<{ readonly serve?: number | true | undefined }>(
    '--serve [port]',
    'serve the page on 127.0.0.1 instead, and follow the log as it grows',
    { parse: parsePort },
  ),
  option('--all', 'write a page for each of many sessions, and an index to search and filter them'),
  option('--images', 'show the images in the log; they are not redacted'),
  option('--open', 'open the page in the browser'),
  optionOf<{ readonly bundle?: string | boolean | undefined }>(
    '--bundle <bundle>',
    'bundle to show next to the log: LATEST, an id, a session, a task, a track, a kind or a file (default: the newest of this log, or one made now)',
    { parse: notEmpty('a bundle') },
  ),
  optionOf('--no-bundle', 'show the log without a bundle'),
  option('--replay <log>', 'log of the earlier session that this one continues; shown dimmed before it', {
    parse: notEmpty('a log'),
  }),
  storeOption,
  trackOfLatest,
  ...readerOptions,
  ...redactOptions,
] as const

export type ViewOptions = ValuesOf<typeof viewOptions>

export function isStreamUrl(name: string | undefined): name is string {
  return /^https?:\/\//i.test(name ?? '')
}

function parsePort(value: string): number {
  const port = /^\d{1,5}$/.test(value) ? Number(value) : Number.NaN
  if (port <= 65_535) return port
  throw bad('a port from 0 to 65535', value, '; put the log before --serve')
}
