import { type Command, InvalidArgumentError } from 'commander'
import { notEmpty, storeOption, trackOption } from '../options/options.ts'
import { addReaderOptions, type ReaderOptions, readersOf } from '../options/readers-option.ts'
import { addRedactOptions, redactFault } from '../options/redact-options.ts'
import type { CommandContext } from '../terminal/command-context.ts'
import type { ViewOptions } from '../view/make-view.ts'
import { isStreamUrl } from '../view/stream-url.ts'

type GivenOptions = Omit<ViewOptions, 'readers'> & ReaderOptions

export function addCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('view')
    .description('Show a log as one self-contained HTML file: timeline, tokens, and what its bundle kept.')
    .argument(
      '[log]',
      'a log (PATH#ID for one of several sessions), - for stdin, http://HOST:PORT/PATH of the event stream of a run, LATEST, or the id or file of a bundle; with --all, a folder of logs (default: the sessions of the store)',
    )
    .option(
      '-o, --output <file>',
      'page to write, or - for stdout (default: NAME.html); with --all, a folder',
      notEmpty('a file'),
    )
    .option(
      '--serve [port]',
      'serve the page on 127.0.0.1 instead, and follow the log as it grows',
      parsePort,
    )
    .option('--all', 'write a page for each of many sessions, and an index to search and filter them')
    .option('--images', 'show the images that the log holds; no redaction applies to them')
    .option('--open', 'open the page in the browser')
    .option(
      '--bundle <bundle>',
      'bundle to show next to the log: LATEST, an id, a session, a task, a track, a kind or a file (default: the newest of this log, or one made now)',
      notEmpty('a bundle'),
    )
    .option('--no-bundle', 'show the log without a bundle')
    .option(
      '--replay <log>',
      'log of the earlier session that this one continues; shown dimmed before it',
      notEmpty('a log'),
    )
    .addOption(storeOption())
    .addOption(trackOption('track whose LATEST to use').default('main'))
  addReaderOptions(command)
  addRedactOptions(command)
  command.addHelpText('after', viewHelp)
  command.action(async (log: string | undefined, options: GivenOptions) => {
    const fault = usageFault(log, options)
    if (fault !== undefined) command.error(`error: ${fault}`)
    // A run that goes on is watched, unless a file is asked for.
    const watched = isStreamUrl(log) && options.output === undefined
    const serve = options.serve ?? (watched ? true : undefined)
    const given = { ...options, serve, readers: await readersOf(options, command) }
    // Other commands need not load the page.
    if (options.all) {
      const { viewAll } = await import('../view/view-all.ts')
      return context.finish(await viewAll(log, given, context))
    }
    const { runView } = await import('../view/run-view.ts')
    await runView(log ?? '', given, context)
  })
}

function parsePort(value: string): number {
  const port = /^\d{1,5}$/.test(value) ? Number(value) : Number.NaN
  if (port <= 65_535) return port
  throw new InvalidArgumentError(
    `expected a port from 0 to 65535, got ${JSON.stringify(value)}; put the log before --serve`,
  )
}

/** The first conflict between options that are each valid alone. */
function usageFault(
  log: string | undefined,
  { serve, output, open, replay, all, bundle, ...rest }: GivenOptions,
): string | undefined {
  if (log === undefined && !all) return "missing required argument 'log'"
  if (all && log === '-') return 'expected a folder of logs with --all, got - (stdin)'
  if (all && output === undefined) return 'expected a folder for the pages with --all: -o site'
  const single = { '--serve': serve, '--replay': replay, '--bundle': bundle === false ? undefined : bundle }
  const alone = Object.entries(single).find(([, value]) => value !== undefined && value !== true)?.[0]
  if (all && (alone !== undefined || serve === true)) return `expected ${alone ?? '--serve'} without --all`
  if (all && output === '-') return 'expected a folder for --output with --all'
  if (serve !== undefined && output !== undefined) return 'expected either --serve or --output'
  if (output === '-' && open) return 'expected a file for --output with --open'
  if (replay === '-' && log === '-') return 'expected - (stdin) once, got it several times'
  return redactFault(rest)
}

const viewHelp = `
Examples:
  tenfold view session.jsonl --open
  tenfold view LATEST -o last-session.html
  tenfold view session.jsonl --serve 4400
  tenfold view http://localhost:8080/events --open
  tenfold view today.jsonl --replay crashed.jsonl
  tenfold view --all ~/.claude/projects -o site --open`
