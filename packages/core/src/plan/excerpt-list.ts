import { type EventId, eventIndex } from '../session/event.ts'
import type { Steps } from '../session/pauses.ts'
import type { Excerpt, ExcerptPart, PartKind } from './excerpt.ts'
import type { TranscriptItem } from './transcript-item.ts'

/** The excerpts of a session, with the transcript that they make. */
export interface ExcerptList {
  /** Can be iterated over again and again. */
  readonly excerpts: Iterable<Excerpt>
  readonly transcript: readonly TranscriptItem[]
  /** Tokens of the transcript. */
  readonly readTokens: number
}

/**
 * Keeps the excerpts of a session of `events` events. Of a text in one part only the item of the transcript and a few numbers
 * are kept, and an excerpt is made of them whenever it is asked for: the excerpts of a million events take 200 MB.
 */
export function* listExcerpts(excerpts: Iterable<Excerpt>, events: number): Steps<ExcerptList> {
  const transcript: TranscriptItem[] = []
  /** What the one part of a text is, or the excerpt itself. */
  const kept: (PartKind | Excerpt)[] = []
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
      // No spread: there may be a million.
      const part: ExcerptPart =
        isUnique[at] === 1
          ? { kind: form, text, tokens: size, lines: breaks, unique: true }
          : { kind: form, text, tokens: size, lines: breaks }
      yield { event, agent, turn, type, position: positionOf(event, events), label, parts: [part] }
    }
  }

  return { excerpts: { [Symbol.iterator]: unpack }, transcript, readTokens }
}

/** Position of an event among all, 0 to 1. */
export function positionOf(event: EventId, events: number): number {
  return eventIndex(event) / Math.max(1, events - 1)
}

/** True for a text in one part, which is neither a tool call nor its result. */
function isText({ status, parts }: Excerpt): boolean {
  return status === undefined && parts.length === 1 && parts[0]?.suffix === undefined
}

function itemOf({ event, until, agent, turn, type, label, status, parts }: Excerpt): TranscriptItem {
  const isFinal = status === undefined && type === 'assistant' && parts[0]?.kind !== 'chatter'
  if (parts.length > 1) {
    if (isFinal) return withTextOfParts({ event, agent, turn, type, label, final: true }, parts)
    if (status === undefined) return withTextOfParts({ event, agent, turn, type, label }, parts)
    if (until === undefined) return withTextOfParts({ event, agent, turn, type, label, status }, parts)
    return withTextOfParts({ event, until, agent, turn, type, label, status }, parts)
  }
  const text = parts[0]?.text ?? ''
  if (isFinal) return { event, agent, turn, type, label, final: true, text }
  if (status === undefined) return { event, agent, turn, type, label, text }
  if (until === undefined) return { event, agent, turn, type, label, status, text }
  return { event, until, agent, turn, type, label, status, text }
}

const partsOf = Symbol('parts')

interface Parts {
  readonly [partsOf]?: readonly ExcerptPart[]
}

// One function for all items, and none that had a text before: V8 would give each object a table of its own.
const text: PropertyDescriptor = {
  enumerable: true,
  configurable: true,
  get(this: Parts) {
    return this[partsOf]?.map((part) => part.text).join('\n')
  },
}

/**
 * Gives an item the texts of its parts, one per line, joined whenever they are read: what tools printed would be in
 * memory once more, the largest part of a session.
 */
function withTextOfParts(item: Omit<TranscriptItem, 'text'>, parts: readonly ExcerptPart[]): TranscriptItem {
  Object.defineProperty(item, partsOf, { value: parts })
  return Object.defineProperty(item, 'text', text) as TranscriptItem
}
