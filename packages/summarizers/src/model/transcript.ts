import { randomBytes } from 'node:crypto'
import { cleanText, eventIndex } from '@tenfold/core/internal/summarizer'
import type { EventId, TranscriptItem } from '@tenfold/core/summarizer'

/**
 * A mark that a log cannot know, for the lines that open and close data. `random` returns numbers from 0 up to 1 and is
 * for tests: the mark is only as hard to guess as its numbers.
 */
export function dataMark(random?: () => number): string {
  if (random === undefined) return randomBytes(markLength / 2).toString('hex')
  return Array.from({ length: markLength }, () => Math.floor(random() * 16).toString(16)).join('')
}

const markLength = 12

/** Data between two lines with the mark. Its content consists of `quoted` text and heads. */
export function dataBlock(name: string, mark: string, body: string): string {
  return `BEGIN ${name} ${mark}\n${body === '' ? '(nothing)' : body}\nEND ${name} ${mark}`
}

/** Text of a log with a bar before each line, so that no line of it can pass for a mark, a head or an instruction. */
export function quoted(text: string): string {
  return cleanText(text)
    .split('\n')
    .map((line) => (line === '' ? '|' : `| ${line}`))
    .join('\n')
}

/** The items as a model reads them: one block each, of a head and quoted lines. A thought without text has none. */
export function transcriptText(items: readonly TranscriptItem[]): string {
  let turn: number | undefined
  return items
    .filter(({ type, text }) => type !== 'reasoning' || text !== '')
    .map((item) => {
      const head = headOf(item, item.turn === turn ? undefined : item.turn)
      turn = item.turn
      return `${head}\n${quoted(item.text)}`
    })
    .join('\n')
}

/** `[e12-e15] tool Bash, agent a1, turn 3, error`: only what is worth a word. */
function headOf(
  { event, until, agent, status, queued, ...item }: TranscriptItem,
  turn: number | undefined,
): string {
  const parts = [
    speakerOf(item),
    agent === 'main' ? '' : `agent ${nameOf(agent)}`,
    turn === undefined ? '' : `turn ${turn}`,
    queued === true ? 'queued' : '',
    status === undefined || status === 'ok' ? '' : status,
  ]
  const id = until === undefined || until === event ? idOf(event) : `${idOf(event)}-${idOf(until)}`
  return `[${id}] ${parts.filter((part) => part !== '').join(', ')}`
}

/** The speaker of an item. A tool may be called `user`, so its name never takes the place of the speaker. */
function speakerOf({ type, label }: Pick<TranscriptItem, 'type' | 'label'>): string {
  if (type === 'tool_call' || type === 'tool_result') return `tool ${nameOf(label)}`
  if (label === 'user' && type !== 'user') return type
  return nameOf(label)
}

/** Whether an item is words of the user, and of nobody else. */
export function isUserItem({ type, label }: Pick<TranscriptItem, 'type' | 'label'>): boolean {
  return type === 'user' && label === 'user'
}

/** Whether an item is the task that another agent gave to the main one: in a session without a user, it stands for words of the user. */
export function isGivenTask({
  type,
  label,
  agent,
}: Pick<TranscriptItem, 'type' | 'label' | 'agent'>): boolean {
  return type === 'context' && label === 'task' && agent === 'main'
}

/** Finds for the result of a call the call, whose id heads the block that shows both. */
export function callsOf(items: readonly TranscriptItem[]): (event: EventId) => EventId {
  const calls = new Map<EventId, EventId>()
  for (const { event, type, results = [] } of items) {
    if (type !== 'tool_call') continue
    // Of a run: its calls, each with its result after it.
    const events = [event, ...results]
    for (let at = 1; at < events.length; at += 2) calls.set(events[at] as EventId, events[at - 1] as EventId)
  }
  return (event) => calls.get(event) ?? event
}

function idOf(event: string): string {
  return eventIndex(event) < 0 ? '?' : event
}

/** A name from a log as one word. */
function nameOf(name: string): string {
  return name.slice(0, 64).replace(/[^\p{L}\p{N}_.:/-]+/gu, '_') || '_'
}
