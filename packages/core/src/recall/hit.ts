import type { Redaction } from '@tenfold/redact'
import type { EventId } from '../session/event.ts'
import { known } from '../session/known.ts'
import type { TokenCounter } from '../tokens/token-counter.ts'
import { densestPlace, excerptAround } from './excerpt-around.ts'
import type { SearchEntry } from './search-entry.ts'
import type { RankedEntry, RecallMatch } from './search-log.ts'
import type { SearchableLog } from './searchable-log.ts'

/** An event as shown. `[…N]` in its excerpt marks N omitted tokens. */
export interface RecalledEvent {
  /** By which the log and bundles name it. */
  readonly event: EventId
  /** Type of the event. */
  readonly kind: SearchEntry['kind']
  /** `main`, or the id of a subagent. */
  readonly agent: string
  /** Number of user messages before it. */
  readonly turn?: number
  /** ISO 8601, if the log has it. */
  readonly time?: string
  /** Name of the tool, for calls and results. */
  readonly tool?: string
  /** How a call ended. */
  readonly status?: NonNullable<SearchEntry['status']>
  /** Its place in the archived log; lines count from 1. */
  readonly file?: string
  /** Line of the log file. */
  readonly line?: number
  /** The part of its text that answers, with `[…N]` for what was left out. */
  readonly excerpt: string
}

/** An event that matched, with its neighbours if requested. */
export interface RecallHit extends RecalledEvent {
  /** Id of the bundle whose log holds it. */
  readonly bundle?: string
  /** Whether the query stands there as it is, or only its words do. */
  readonly match: RecallMatch
  /** Compares hits of one log and one kind of match. */
  readonly score: number
  /** Events of the same agent right before and after it. */
  readonly before?: readonly RecalledEvent[]
  /** What followed it, if asked for. */
  readonly after?: readonly RecalledEvent[]
}

export interface HitOptions {
  readonly excerptTokens: number
  readonly context: number
  readonly counter: TokenCounter
  readonly redaction?: Redaction | undefined
}

/** Characters within which matching words are shown together. */
const closeWords = 600
const minNeighbourTokens = 24

export interface HitCandidate {
  readonly hit: RecallHit
  excerpt(maxTokens: number): string
}

export interface FoundEntry extends RankedEntry {
  readonly bundle?: string | undefined
  /** Events of the same agent right before and after it. */
  readonly near: { readonly before: readonly SearchEntry[]; readonly after: readonly SearchEntry[] }
}

export function foundIn({ log, entries }: SearchableLog, ranked: RankedEntry, context: number): FoundEntry {
  return { ...ranked, bundle: log.bundle, near: neighboursOf(entries, ranked.at, context) }
}

export function hitOf(found: FoundEntry, options: HitOptions): HitCandidate {
  const { entry, match, score, terms, near } = found
  const { counter, redaction } = options
  const place = terms.length > 0 ? densestPlace(entry.text, terms, closeWords) : found
  const nearTokens = Math.max(minNeighbourTokens, Math.floor(options.excerptTokens / 3))
  const nearby = { start: 0, end: 0, maxTokens: nearTokens }
  const show = (other: SearchEntry): RecalledEvent =>
    shown(other, excerptAround(other.text, { ...nearby, counter, redaction }), redaction)
  const { start, end } = place
  const { text } = entry
  const excerpt = (maxTokens: number): string =>
    excerptAround(text, { start, end, maxTokens, counter, redaction })
  const hit: RecallHit = {
    ...shown(entry, excerpt(options.excerptTokens), redaction),
    ...known({ bundle: found.bundle }),
    match,
    score: Math.round(score * 100) / 100,
    ...(options.context > 0 && { before: near.before.map(show), after: near.after.map(show) }),
  }
  return { hit, excerpt }
}

function neighboursOf(entries: readonly SearchEntry[], at: number, count: number) {
  const agent = entries[at]?.agent
  const walk = (step: 1 | -1): SearchEntry[] => {
    const found: SearchEntry[] = []
    for (let next = at + step; found.length < count; next += step) {
      const entry = entries[next]
      if (entry === undefined) break
      if (entry.agent === agent && entry.text !== '') found.push(entry)
    }
    return found
  }
  return { before: walk(-1).reverse(), after: walk(1) }
}

function shown(entry: SearchEntry, excerpt: string, redaction: Redaction | undefined): RecalledEvent {
  const { id, kind, agent, turn, time, tool, status, file, line } = entry
  const names = known({ agent, tool, file })
  const clean = redaction === undefined ? names : redaction.redactValue(names)
  return { event: id, kind, ...known({ turn, time, status, line }), ...clean, excerpt }
}

/**
 * Formats a hit as text: a line that says what and where it is, then the excerpt, each line of it quoted. Names the
 * bundle if there are several.
 */
export function hitToText(hit: RecallHit, several: boolean): string {
  const { before = [], after = [] } = hit
  const bundle = hit.bundle === undefined || !several ? [] : [`bundle ${hit.bundle}`]
  return [
    ...before.map((event) => eventToText(event, ['before it'])),
    eventToText(hit, [hit.match, ...bundle]),
    ...after.map((event) => eventToText(event, ['after it'])),
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
  // The head is one line regardless of the names in the log.
  const head = facts
    .filter((fact) => fact !== undefined)
    .join(' · ')
    .replaceAll(/\s+/g, ' ')
  const quoted = event.excerpt === '' ? [] : event.excerpt.split('\n').map((text) => `> ${text}`.trimEnd())
  return [head, ...quoted].join('\n')
}

const minExcerpt = 16
/** For the blank line between two hits, and for differing tokens at their edges. */
const slack = 3

/** Returns the first of the hits that fit into `maxTokens` as text; the last of them may be shortened. */
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

/** Without its neighbours, then with less of its excerpt. */
function shortened(
  { hit, excerpt }: HitCandidate,
  maxTokens: number,
  counter: TokenCounter,
  sizeOf: (hit: RecallHit) => number,
): RecallHit | undefined {
  const { before, after, ...alone } = hit
  let short: RecallHit = alone
  for (let round = 0; round < 6 && sizeOf(short) > maxTokens; round++) {
    const keep = counter.count(short.excerpt) - (sizeOf(short) - maxTokens) - round
    if (keep < minExcerpt) return undefined
    short = { ...alone, excerpt: excerpt(keep) }
  }
  return sizeOf(short) <= maxTokens && short.excerpt !== '' ? short : undefined
}
