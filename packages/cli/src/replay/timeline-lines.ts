import type { Session } from '@tenfold/core'
import { cleanLine, cleanText, cutHead } from '@tenfold/core/internal'
import type { ReplayedEvent } from '@tenfold/core/replay'
import { formatCount, formatNumberOf } from '../terminal/numbers.ts'
import { fitCell } from '../terminal/table.ts'
import type { Style } from '../terminal/terminal.ts'

const maxLineLength = 110
/** Most lines and characters shown of a message; it is cut only if more than `minMore` would be hidden. */
const maxLines = 20
const maxSaid = 4000
const minMore = 80
/** Most characters of arguments and output that are searched for the one line that is shown. */
const maxCharacters = 2000
const indent = ' '.repeat('00:00:00  assistant  '.length)
const labels = {
  user: 'user',
  assistant: 'assistant',
  tool_progress: 'tool',
  tool_summary: 'result',
} as const

export interface Replay {
  readonly session: Session
  readonly events: readonly ReplayedEvent[]
}

/** A session holds text as the log had it, so each text is cleaned here. */
export function* timelineLines({ session, events }: Replay, style: Style): Generator<string> {
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
  return [
    `End of the replay: ${formatNumberOf(events.length, 'event')}`,
    ...underWay(events),
    ...leftOut(session, events),
    ...(last === undefined ? [] : [`later events: --after ${last.id}`]),
  ].join('; ')
}

function underWay(events: readonly ReplayedEvent[]): string[] {
  const done = new Set(events.flatMap((event) => (event.type === 'tool_summary' ? event.callId : [])))
  const open = events.flatMap((event) =>
    event.type === 'tool_progress' && !done.has(event.callId) ? cleanLine(event.name) : [],
  )
  if (open.length === 0) return []
  const names = fitCell([...new Set(open)].join(', '), 40)
  return [`${formatNumberOf(open.length, 'call')} without a result (${names})`]
}

function leftOut({ events }: Session, replayed: readonly ReplayedEvent[]): string[] {
  const types = new Set(['user', 'assistant', 'tool_call', 'tool_result'])
  const counts = new Map<string, number>()
  for (const { type } of events) if (!types.has(type)) counts.set(type, (counts.get(type) ?? 0) + 1)
  if (counts.size === 0 || replayed.length === 0) return []
  const parts = [...counts].map(([type, count]) => `${formatCount(count)} ${type.replace('_', ' ')}`)
  return [`not shown: ${parts.join(', ')}`]
}
