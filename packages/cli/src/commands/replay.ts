import { redactSession, type Session } from '@tenfold/core'
import { cleanLine, cleanText, cutHead } from '@tenfold/core/internal'
import { createEventLog, type ReplayedEvent, replaySession, serveEvents } from '@tenfold/core/replay'
import { logArgument, readLog } from '../logs/gather-logs.ts'
import { makeRedactors, readerOptions, redactOptions } from '../options/log-options.ts'
import { option } from '../options/option.ts'
import { notEmpty, wholeNumber } from '../options/parsers.ts'
import { failureOf } from '../terminal/failure.ts'
import { refuse, serveLocally } from '../terminal/local-server.ts'
import { printNotes, showProgress } from '../terminal/progress.ts'
import { present } from '../terminal/report.ts'
import { fitCell } from '../terminal/table.ts'
import { type CommandContext, type Style, toSafeJson, untilAborted } from '../terminal/terminal.ts'
import { formatCount, formatNumberOf } from '../terminal/text.ts'
import { defineCommand } from './define-command.ts'

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
    printNotes(session.notes, terminal)
    if (sse !== undefined) return await serveReplay({ session, events }, sse, context)
    const lines = json
      ? events.map((event) => toSafeJson(event))
      : [...timelineLines({ session, events }, terminal.style)]
    for (let at = 0; at < lines.length; at += linesAtOnce)
      terminal.print(lines.slice(at, at + linesAtOnce).join('\n'))
  },
})

const path = '/events'

async function serveReplay({ session, events }: Replay, port: number, { terminal, signal }: CommandContext) {
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

const maxLineLength = 110
/** Maximum lines and characters of a message. It is cut only if that hides more than `minMore` characters. */
const maxLines = 20
const maxSaid = 4000
const minMore = 80
/** Maximum characters of arguments and output that are searched for the one line to show. */
const maxCharacters = 2000
const indent = ' '.repeat('00:00:00  assistant  '.length)
const labels = {
  user: 'user',
  assistant: 'assistant',
  tool_progress: 'tool',
  tool_summary: 'result',
} as const

interface Replay {
  readonly session: Session
  readonly events: readonly ReplayedEvent[]
}

/** A session has the log's text unchanged, so each text is cleaned here. */
function* timelineLines({ session, events }: Replay, style: Style): Generator<string> {
  yield style.dim(`── Replayed from session ${cleanLine(session.id)} (${cleanLine(session.format)}) ──`)
  let day = ''
  for (const event of events) {
    const date = event.time?.slice(0, 10) ?? day
    if (date !== day) yield style.dim(`${cleanLine(date)} UTC`)
    day = date
    yield* eventLines(event, style)
  }
  yield style.dim(`── ${endOf(session, events)} ──`)
}

function eventLines(event: ReplayedEvent, style: Style): string[] {
  const time = cleanLine(event.time?.slice(11, 19) ?? '').padEnd(8)
  const agent = event.agent === 'main' ? '' : `[${fitCell(cleanLine(event.agent), 24)}] `
  const [first = '', ...rest] =
    event.type === 'user' || event.type === 'assistant' ? saidLines(event) : [toolLine(event)]
  const label = labels[event.type].padEnd(9)
  const failed = event.type === 'tool_summary' && event.status !== 'ok'
  const shown = failed ? style.red(label) : event.type === 'user' ? style.bold(label) : label
  const head = `${style.dim(time)}  ${shown}  ${agent}${first}`.trimEnd()
  return [head, ...rest.map((line) => (line === '' ? '' : `${indent}${line}`))]
}

function saidLines({ text }: ReplayedEvent): string[] {
  const said = cleanText(text).trim()
  const lines = cutHead(said, maxSaid).split('\n').slice(0, maxLines)
  const more = said.length - lines.join('\n').length
  return more < minMore
    ? said.split('\n')
    : [...lines, `… ${formatCount(more)} more characters (--json has them)`]
}

function toolLine(event: ReplayedEvent): string {
  const name = 'name' in event && event.name !== undefined ? cleanLine(event.name) : 'unknown tool'
  const text = cleanLine(event.text.slice(0, maxCharacters))
  if (event.type !== 'tool_summary') return fitCell(`${name}  ${text}`, maxLineLength)
  const code = event.exitCode === undefined || event.exitCode === 0 ? '' : `, exit code ${event.exitCode}`
  return fitCell(`${name} ${event.status}${code}  ${text}`, maxLineLength)
}

function endOf(session: Session, events: readonly ReplayedEvent[]): string {
  const last = events.at(-1)
  return present([
    `End of the replay: ${formatNumberOf(events.length, 'event')}`,
    underWay(events),
    leftOut(session, events),
    last && `later events: --after ${last.id}`,
  ]).join('; ')
}

function underWay(events: readonly ReplayedEvent[]): string | undefined {
  const done = new Set(events.flatMap((event) => (event.type === 'tool_summary' ? event.callId : [])))
  const open = events.flatMap((event) =>
    event.type === 'tool_progress' && !done.has(event.callId) ? cleanLine(event.name) : [],
  )
  if (open.length === 0) return undefined
  const names = fitCell([...new Set(open)].join(', '), 40)
  return `${formatNumberOf(open.length, 'call')} without a result (${names})`
}

function leftOut({ events }: Session, replayed: readonly ReplayedEvent[]): string | undefined {
  const types = new Set(['user', 'assistant', 'tool_call', 'tool_result'])
  const counts = new Map<string, number>()
  for (const { type } of events) if (!types.has(type)) counts.set(type, (counts.get(type) ?? 0) + 1)
  if (counts.size === 0 || replayed.length === 0) return undefined
  const parts = [...counts].map(([type, count]) => `${formatCount(count)} ${type.replace('_', ' ')}`)
  return `not shown: ${parts.join(', ')}`
}
