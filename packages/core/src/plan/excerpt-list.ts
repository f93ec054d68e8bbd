import { type EventId, eventIndex } from '../session/event.ts'
import type { Steps } from '../session/pauses.ts'
import type { Excerpt, ExcerptPart } from './excerpt.ts'
import type { TextKind } from './text-kinds.ts'
import type { TranscriptItem } from './transcript-item.ts'

/** The excerpts of a session, with the transcript that they make. */
export interface ExcerptList {
  /** Can be iterated repeatedly. */
  readonly excerpts: Iterable<Excerpt>
  readonly transcript: readonly TranscriptItem[]
  /** Tokens of the transcript. */
  readonly readTokens: number
}

/**
 * Keeps the excerpts of a session with `events` events. For a text in one part, only the transcript item and a few
 * numbers are kept, and the excerpt is made again at each iteration: the excerpts of a million events would take 200
 * MB.
 */
export function* listExcerpts(excerpts: Iterable<Excerpt>, events: number): Steps<ExcerptList> {
  const transcript: TranscriptItem[] = []
  /** The kind of a text in one part, or the excerpt itself. */
  const kept: (TextKind | Excerpt)[] = []
  const tokens = new Uint32Array(events)
  const lines = new Uint32Array(events)
  const isUnique = new Uint8Array(events)
  let readTokens = 0
  for (const excerpt of excerpts) {
    yield
    const [part] = excerpt.parts
    if (part === undefined || !isText(excerpt)) kept.push(excerpt)
    else {
      const at = kept.push(part.kind) - 1
      tokens[at] = part.tokens
      lines[at] = part.lines
      isUnique[at] = Number(part.unique ?? false)
    }
    for (const each of excerpt.parts) readTokens += each.tokens
    transcript.push(itemOf(excerpt))
  }

  function* unpack(): Generator<Excerpt> {
    for (const [at, form] of kept.entries()) {
      if (typeof form !== 'string') {
        yield form
        continue
      }
      const { event, agent, turn, type, label, text } = transcript[at] as TranscriptItem
      const [size, breaks] = [tokens[at] ?? 0, lines[at] ?? 0]
      // No object spread: there may be a million excerpts.
      const part: ExcerptPart =
        isUnique[at] === 1
          ? { kind: form, text, tokens: size, lines: breaks, unique: true }
          : { kind: form, text, tokens: size, lines: breaks }
      yield { event, agent, turn, type, position: positionOf(event, events), label, parts: [part] }
    }
  }

  return { excerpts: { [Symbol.iterator]: unpack }, transcript, readTokens }
}

/** Position of an event among all events, 0 to 1. */
export function positionOf(event: EventId, events: number): number {
  return eventIndex(event) / Math.max(1, events - 1)
}

/** True for a text in one part that is neither a tool call nor its result. */
function isText({ status, parts }: Excerpt): boolean {
  return status === undefined && parts.length === 1 && parts[0]?.suffix === undefined
}

type Draft = { -readonly [K in keyof TranscriptItem]: TranscriptItem[K] }

function itemOf({ event, until, agent, turn, type, label, status, parts }: Excerpt): TranscriptItem {
  // Joined one by one, because V8 then only refers to the parts until the text is searched, so that tool outputs are in
  // memory once.
  let text = parts[0]?.text ?? ''
  for (const part of parts.slice(1)) text = `${text}\n${part.text}`
  const item: Draft = { event, agent, turn, type, label, text }
  if (until !== undefined) item.until = until
  if (status !== undefined) item.status = status
  else if (type === 'assistant' && parts[0]?.kind !== 'chatter') item.final = true
  return item
}
