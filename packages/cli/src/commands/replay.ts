import { cleanLine, type Note } from '@tenfold/core'
import { type Command, Option } from 'commander'
import { notEmpty, wholeNumber } from '../options/options.ts'
import { addReaderOptions, type ReaderOptions, readersOf } from '../options/readers-option.ts'
import { addRedactOptions, type RedactOptions, redactFault } from '../options/redact-options.ts'
import { readReplay } from '../replay/read-replay.ts'
import { serveReplay } from '../replay/serve-replay.ts'
import { timelineLines } from '../replay/timeline-lines.ts'
import type { CommandContext } from '../terminal/command-context.ts'
import { toSafeJson } from '../terminal/json-output.ts'
import type { Terminal } from '../terminal/terminal.ts'

interface ReplayCommandOptions extends RedactOptions, ReaderOptions {
  readonly after?: string | undefined
  readonly json?: true | undefined
  readonly sse?: number | undefined
}

const shownNotes = 10
const linesAtOnce = 500

export function addCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('replay')
    .description('Print what a finished or crashed run said and did, event by event. Nothing is run again.')
    .argument('<log>', 'path of a log or its folder, PATH#ID for one of several sessions, or - for stdin')
    .option('--after <id>', 'only events after the one with this id', notEmpty('the id of an event'))
    .addOption(new Option('--json', 'print one line of JSON per event').conflicts('sse'))
    .option(
      '--sse <port>',
      'serve the events to this machine only, as server-sent events; 0 picks a free port',
      wholeNumber(0, 65_535),
    )
  addReaderOptions(command)
  addRedactOptions(command)
  command.addHelpText('after', replayHelp).action(async (log: string, options: ReplayCommandOptions) => {
    const fault = redactFault(options)
    if (fault !== undefined) command.error(`error: ${fault}`)
    await replay(log, options, command, context)
  })
}

async function replay(
  log: string,
  options: ReplayCommandOptions,
  command: Command,
  context: CommandContext,
): Promise<void> {
  const { terminal } = context
  const { json, sse, reader: _, ...source } = options
  const read = await readReplay(log, { ...source, readers: await readersOf(options, command) }, context)
  warnOf(read.session.notes, terminal)
  if (sse !== undefined) await serveReplay(read, sse, context)
  else {
    const lines = json ? read.events.map((event) => toSafeJson(event)) : timelineLines(read, terminal.style)
    for (const part of inParts(lines)) terminal.print(part)
  }
}

function* inParts(lines: Iterable<string>): Generator<string> {
  let part: string[] = []
  for (const line of lines) {
    if (part.push(line) < linesAtOnce) continue
    yield part.join('\n')
    part = []
  }
  if (part.length > 0) yield part.join('\n')
}

/** Prints what is odd about the log; the last line is often cut if its writer was killed. */
function warnOf(notes: readonly Note[], terminal: Terminal): void {
  const most = terminal.verbose ? notes.length : shownNotes
  for (const { code, message, line, count } of notes.slice(0, most)) {
    const place = line === undefined ? '' : ` (line ${line})`
    const times = count === undefined || count === 1 ? '' : ` ×${count}`
    terminal.note(`note: ${cleanLine(`${code}${times}: ${message}`)}${place}`)
  }
  if (notes.length > most) terminal.note(`… and ${notes.length - most} more notes; --verbose prints them`)
}

const replayHelp = `
The events are marked as replayed, and their ids do not change as the log grows. --sse serves
http://127.0.0.1:PORT/events, continues after Last-Event-ID, and sends no header that would let pages of other sites read
it.

Examples:
  tenfold replay session.jsonl
  tenfold replay session.jsonl --json | jq -r 'select(.type == "assistant").text'
  tenfold replay session.jsonl --after r0123456789abcdef
  tenfold replay session.jsonl --sse 0

Exit codes: 0 done, also if Ctrl-C ends --sse; 1 the log cannot be read or has no such event; 2 wrong usage;
130 interrupted earlier.`
