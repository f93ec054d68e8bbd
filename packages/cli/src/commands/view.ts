import { stdinTwice } from '../logs/gather-logs.ts'
import { isStreamUrl, type ViewOptions, viewOptions } from '../view/view-options.ts'
import { defineCommand } from './define-command.ts'

export const addCommand = defineCommand({
  name: 'view',
  description: 'Show a log as one self-contained HTML file: timeline, tokens, and what its bundle kept.',
  arguments: [
    [
      '[log]',
      'a log (PATH#ID for one of several sessions), - for stdin, http://HOST:PORT/PATH of the event stream of a run, LATEST, or the id or file of a bundle; with --all, a folder of logs (default: LATEST; with --all, the sessions of the store)',
    ],
  ],
  options: viewOptions,
  help: `
Examples:
  tenfold view session.jsonl --open
  tenfold view LATEST -o last-session.html
  tenfold view session.jsonl --serve 4400
  tenfold view http://localhost:8080/events --open
  tenfold view --all ~/.claude/projects -o site --open`,
  fault: usageFault,
  async run(options, context, log) {
    // A running session is followed, unless --output names a file.
    const watched = isStreamUrl(log) && options.output === undefined
    const given = { ...options, serve: options.serve ?? (watched ? true : undefined) }
    // Loaded here, because only this command uses the page.
    if (options.all) return await (await import('../view/run-view.ts')).viewAll(log, given, context)
    await (await import('../view/run-view.ts')).runView(log ?? 'LATEST', given, context)
  },
})

function usageFault({ serve, output, open, replay, all, bundle }: ViewOptions, log: string | undefined) {
  if (all && log === '-') return 'expected a folder of logs with --all, got - (stdin)'
  if (all && output === undefined) return 'expected a folder for the pages with --all: -o site'
  const single = { '--serve': serve, '--replay': replay, '--bundle': bundle === false ? undefined : bundle }
  const alone = Object.entries(single).find(([, value]) => value !== undefined && value !== true)?.[0]
  if (all && (alone !== undefined || serve === true)) return `expected ${alone ?? '--serve'} without --all`
  if (all && output === '-') return 'expected a folder for --output with --all'
  if (serve !== undefined && output !== undefined) return 'expected either --serve or --output'
  if (output === '-' && open) return 'expected a file for --output with --open'
  return stdinTwice([replay ?? '', log ?? ''])
}
