import { type Note, redactSession } from '@tenfold/core'
import { cleanLine } from '@tenfold/core/internal'
import { createEventLog, replaySession, serveEvents } from '@tenfold/core/replay'
import { logArgument, readLog } from '../logs/gather-logs.ts'
import { option } from '../options/option.ts'
import { notEmpty, wholeNumber } from '../options/parsers.ts'
import { readerOptions } from '../options/reader-options.ts'
import { makeRedactors, redactOptions } from '../options/redact-options.ts'
import { type Replay, timelineLines } from '../replay/timeline-lines.ts'
import { failureOf } from '../terminal/failure.ts'
import { untilAborted } from '../terminal/interrupt.ts'
import { toSafeJson } from '../terminal/json-output.ts'
import { refuse, serveLocally } from '../terminal/local-server.ts'
import { formatNumberOf } from '../terminal/numbers.ts'
import { showProgress } from '../terminal/progress.ts'
import type { CommandContext, Terminal } from '../terminal/terminal.ts'
import { defineCommand } from './define-command.ts'

const shownNotes = 10
const linesAtOnce = 500

export const addCommand = defineCommand({
  name: 'replay',
  description: 'Print what a finished or crashed run said and did, event by event. Nothing is run again.',
  arguments: [logArgument],
  options: [
    option('--after <id>', 'only events after the one with this id', {
      parse: notEmpty('the id of an event'),
    }),
    option('--json', 'print one line of JSON per event', { conflicts: 'sse' }),
    option(
      '--sse <port>',
      'serve the events to this machine only, as server-sent events; 0 picks a free port',
      { parse: wholeNumber(0, 65_535) },
    ),
    ...readerOptions,
    ...redactOptions,
  ],
  help: `
The events are marked as replayed, and their ids do not change as the log grows. --sse serves
http://127.0.0.1:PORT/events, continues after Last-Event-ID, and sends no header that would let pages of other sites read
it.

Examples:
  tenfold replay session.jsonl
  tenfold replay session.jsonl --json | jq -r 'select(.type == "assistant").text'
  tenfold replay session.jsonl --after r0123456789abcdef
  tenfold replay session.jsonl --sse 0

Exit codes: 0 done, also if Ctrl-C ends --sse; 1 the log cannot be read or has no such event; 2 wrong usage;
130 interrupted earlier.`,
  async run({ json, sse, after, reading, ...redact }, context, log) {
    const { terminal, signal } = context
    const { session: whole } = await readLog(log, { reading, signal, progress: showProgress(terminal) })
    const session = redactSession(whole, await makeRedactors(redact))
    const events = replaySession(session, after === undefined ? {} : { after })
    noteOf(session.notes, terminal)
    if (sse !== undefined) return await serveReplay({ session, events }, sse, context)
    const lines = json
      ? events.map((event) => toSafeJson(event))
      : [...timelineLines({ session, events }, terminal.style)]
    for (let at = 0; at < lines.length; at += linesAtOnce)
      terminal.print(lines.slice(at, at + linesAtOnce).join('\n'))
  },
})

/** Prints what is odd about the log; the last line is often cut if its writer was killed. */
function noteOf(notes: readonly Note[], terminal: Terminal): void {
  const most = terminal.verbose ? notes.length : shownNotes
  for (const { code, message, line, count } of notes.slice(0, most)) {
    const place = line === undefined ? '' : ` (line ${line})`
    const times = count === undefined || count === 1 ? '' : ` ×${count}`
    terminal.note(`note: ${cleanLine(`${code}${times}: ${message}`)}${place}`)
  }
  if (notes.length > most) terminal.note(`… and ${notes.length - most} more notes; --verbose prints them`)
}

const path = '/events'

async function serveReplay(
  { session, events }: Replay,
  port: number,
  { terminal, signal }: CommandContext,
): Promise<void> {
  const log = createEventLog()
  for (const event of events) log.add(event)
  log.end()
  const handle = serveEvents(log, { signal })
  const { url, close } = await serveLocally(port, (request, response) => {
    if (request.url?.split('?', 1)[0] !== path) return refuse(response, 404, `The events are at ${path}.`)
    return handle(request, response).catch((error: unknown) => terminal.fail(failureOf(error).message))
  })
  terminal.print(
    `Serving ${formatNumberOf(events.length, 'replayed event')} of session ${cleanLine(session.id)} at ${url}${path} (press Ctrl-C to stop)`,
  )
  await untilAborted(signal)
  await close()
}
