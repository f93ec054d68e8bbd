import type { Redaction } from '@tenfold/redact'
import type { EventId } from '../session/event.ts'
import { known } from '../session/known.ts'
import type { TokenCounter } from '../tokens/token-counter.ts'
import { densestPlace, excerptAround } from './excerpt-around.ts'
import type { FoundEntry } from './found-entry.ts'
import type { SearchEntry } from './search-entry.ts'
import type { RecallMatch } from './search-log.ts'

/** An event in a result. `[…N]` in its excerpt marks N omitted tokens. */
export interface RecalledEvent {
  /** Id of the event in its log. */
  readonly event: EventId
  /** Type of the event. */
  readonly kind: SearchEntry['kind']
  /** `main`, or the id of a subagent. */
  readonly agent: string
  /** Number of user messages before the event. */
  readonly turn?: number
  /** ISO 8601; absent if the log has no time. */
  readonly time?: string
  /** Name of the tool, for calls and results. */
  readonly tool?: string
  /** How a call ended. */
  readonly status?: NonNullable<SearchEntry['status']>
  /** Name of the file in the archived log. */
  readonly file?: string
  /** Line in the file, counted from 1. */
  readonly line?: number
  /** The relevant part of its text, with `[…N]` for omissions. */
  readonly excerpt: string
}

/** An event that matched, with its neighbours if requested. */
export interface RecallHit extends RecalledEvent {
  /** Id of the bundle whose log holds it. */
  readonly bundle?: string
  /** How the event matched. */
  readonly match: RecallMatch
  /** Comparable only among hits of one log and the same `match`. */
  readonly score: number
  /** Events of the same agent directly before the hit, if requested. */
  readonly before?: readonly RecalledEvent[]
  /** Events of the same agent directly after the hit, if requested. */
  readonly after?: readonly RecalledEvent[]
  /** Message of the user that began the turn, if only words of the query matched. */
  readonly request?: RecalledEvent
  /** Last answer of the turn, if only words of the query matched. */
  readonly answer?: RecalledEvent
}

export interface HitOptions {
  readonly excerptTokens: number
  readonly context: number
  readonly counter: TokenCounter
  readonly redaction?: Redaction | undefined
  /** Words of the query, to choose the part of an answer to show. */
  readonly terms: readonly string[]
}

/** Maximum distance, in characters, of matching words that are shown together. */
const closeWords = 600
/** Characters per token of an excerpt, less what is shown around its words. */
const shownPerToken = 3
const minNeighbourTokens = 24

export interface HitCandidate {
  readonly hit: RecallHit
  excerpt(maxTokens: number): string
}

export function hitOf(found: FoundEntry, options: HitOptions): HitCandidate {
  const { entry, match, score, terms, near } = found
  const { counter, redaction } = options
  const width = Math.min(closeWords, options.excerptTokens * shownPerToken)
  const place = terms.length > 0 ? densestPlace(entry.text, terms, width) : found
  const nearTokens = Math.max(minNeighbourTokens, Math.floor(options.excerptTokens / 3))
  const show = (other: SearchEntry, { start, end } = { start: 0, end: 0 }): RecalledEvent => {
    const around = { start, end, maxTokens: nearTokens, counter, redaction }
    return shown(other, excerptAround(other.text, around), redaction)
  }
  const showTerms = (other: SearchEntry | undefined) =>
    other && show(other, densestPlace(other.text, options.terms, closeWords))
  const { start, end } = place
  const { text } = entry
  const excerpt = (maxTokens: number): string =>
    excerptAround(text, { start, end, maxTokens, counter, redaction })
  const hit: RecallHit = {
    ...shown(entry, excerpt(options.excerptTokens), redaction),
    ...known({ bundle: found.bundle }),
    match,
    score: Math.round(score * 100) / 100,
    ...(options.context > 0 && {
      before: near.before.map((each) => show(each)),
      after: near.after.map((each) => show(each)),
    }),
    ...known({ request: showTerms(near.request), answer: showTerms(near.answer) }),
  }
  return { hit, excerpt }
}

function shown(entry: SearchEntry, excerpt: string, redaction: Redaction | undefined): RecalledEvent {
  const { id, kind, agent, turn, time, tool, status, file, line } = entry
  const names = known({ agent, tool, file })
  const clean = redaction === undefined ? names : redaction.redactValue(names)
  return { event: id, kind, ...known({ turn, time, status, line }), ...clean, excerpt }
}

/** Formats a hit as text: a line with its kind and place, then the quoted excerpt. Names the bundle if there are several. */
export function hitToText(hit: RecallHit, several: boolean): string {
  const { before = [], after = [], request, answer } = hit
  const bundle = hit.bundle === undefined || !several ? [] : [`bundle ${hit.bundle}`]
  return [
    ...(request === undefined ? [] : [eventToText(request, ['the request of its turn'])]),
    ...before.map((event) => eventToText(event, ['before it'])),
    eventToText(hit, [hit.match, ...bundle]),
    ...after.map((event) => eventToText(event, ['after it'])),
    ...(answer === undefined ? [] : [eventToText(answer, ['the answer of its turn'])]),
  ].join('\n')
}

function eventToText(event: RecalledEvent, more: readonly string[]): string {
  const { kind, tool, status, agent, turn, time, file, line } = event
  const facts = [
    event.event,
    [kind, tool, status === 'ok' ? undefined : status].filter(Boolean).join(' '),
    agent === 'main' ? undefined : `agent ${agent}`,
    turn === undefined ? undefined : `turn ${turn}`,
    time,
    file === undefined ? undefined : `${file}:${line}`,
    ...more,
  ]
  // The head must be one line, whatever names the log contains.
  const head = facts
    .filter((fact) => fact !== undefined)
    .join(' · ')
    .replaceAll(/\s+/g, ' ')
  const quoted = event.excerpt === '' ? [] : event.excerpt.split('\n').map((text) => `> ${text}`.trimEnd())
  return [head, ...quoted].join('\n')
}

const minExcerpt = 16
/** Tokens of the blank line between two hits, and of differences at their edges. */
const slack = 3

/** Returns the first hits that fit into `maxTokens` as text; the last one may be shortened. */
export function fitHits(
  candidates: readonly HitCandidate[],
  options: { readonly maxTokens: number; readonly counter: TokenCounter; readonly several: boolean },
): RecallHit[] {
  const { maxTokens, counter, several } = options
  const sizeOf = (hit: RecallHit): number => counter.count(hitToText(hit, several)) + slack
  const kept: RecallHit[] = []
  let room = maxTokens
  for (const candidate of candidates) {
    const { hit } = candidate
    const short = sizeOf(hit) <= room ? hit : shortened(candidate, room, counter, sizeOf)
    if (short !== undefined) kept.push(short)
    if (short !== hit) break
    room -= sizeOf(hit)
  }
  return kept
}

/** Shortens a hit: first without its neighbours, then with a shorter excerpt. */
function shortened(
  { hit, excerpt }: HitCandidate,
  maxTokens: number,
  counter: TokenCounter,
  sizeOf: (hit: RecallHit) => number,
): RecallHit | undefined {
  const { before, after, request, answer, ...alone } = hit
  let short: RecallHit = alone
  for (let round = 0; round < 6 && sizeOf(short) > maxTokens; round++) {
    const keep = counter.count(short.excerpt) - (sizeOf(short) - maxTokens) - round
    if (keep < minExcerpt) return undefined
    short = { ...alone, excerpt: excerpt(keep) }
  }
  return sizeOf(short) <= maxTokens && short.excerpt !== '' ? short : undefined
}
