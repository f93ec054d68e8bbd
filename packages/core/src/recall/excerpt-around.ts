import type { Redaction } from '@tenfold/redact'
import { cutHead, cutTail } from '../session/cut-text.ts'
import { escapeRegExp } from '../session/escape-reg-exp.ts'
import { shorten } from '../tokens/shorten.ts'
import type { TokenCounter } from '../tokens/token-counter.ts'

export interface ExcerptOptions {
  readonly start: number
  readonly end: number
  readonly maxTokens: number
  readonly counter: TokenCounter
  readonly redaction?: Redaction | undefined
}

/** Only text that nobody reads has more characters per token. */
const charactersPerToken = 8
/** Additional characters, so that a secret that extends beyond the excerpt is still seen whole. */
const margin = 8192
const markTokens = 4

/** Returns the text around a match, at most `maxTokens`, with secrets replaced by marks; `[…N]` marks N omitted tokens. */
export function excerptAround(text: string, options: ExcerptOptions): string {
  const { maxTokens, counter } = options
  const reach = maxTokens * charactersPerToken + margin
  const from = Math.max(0, options.start - reach)
  const to = Math.min(text.length, options.end + reach)
  const near = text.slice(from, to).toWellFormed()
  const clean = options.redaction?.redact(near) ?? near
  const match = moved(near, clean, options.start - from, options.end - from)
  const outside = {
    before: from === 0 ? 0 : counter.count(text.slice(0, from)),
    after: to === text.length ? 0 : counter.count(text.slice(to)),
  }
  const isWhole = outside.before + outside.after === 0
  if (isWhole && clean.length <= maxTokens * charactersPerToken && counter.count(clean) <= maxTokens)
    return clean.trim()
  return cutAround(clean, match, outside, options)
}

/** Finds the match again after redaction: its nearest occurrence, otherwise approximately the old position. */
function moved(before: string, after: string, start: number, end: number): { start: number; end: number } {
  if (before === after) return { start, end }
  const words = before.slice(start, end)
  const later = after.indexOf(words, start)
  const earlier = after.lastIndexOf(words, start)
  const nearest = later !== -1 && (earlier === -1 || later - start < start - earlier) ? later : earlier
  const at = words === '' || nearest === -1 ? Math.min(start, after.length) : nearest
  return { start: at, end: nearest === -1 ? at : at + words.length }
}

function cutAround(
  text: string,
  match: { readonly start: number; readonly end: number },
  outside: { readonly before: number; readonly after: number },
  { maxTokens, counter }: ExcerptOptions,
): string {
  const { start, end } = match
  let room = maxTokens * 4
  for (let round = 0; round < 8 && room > 0; round++) {
    const length = end - start
    const spare = Math.max(0, room - length)
    const wantBefore = Math.min(start, Math.floor(spare * 0.35))
    const wantAfter = Math.min(text.length - end, spare - wantBefore)
    const head = cutTail(text.slice(0, start), Math.min(start, spare - wantAfter))
    const tail = cutHead(text.slice(end), wantAfter)
    const middle = length <= room ? text.slice(start, end) : cutHead(text.slice(start, end), room)
    const gone = {
      before: outside.before + counter.count(text.slice(0, start - head.length)),
      after: outside.after + counter.count(text.slice(start + middle.length + tail.length)),
    }
    const shown = [
      gone.before > 0 ? `[…${gone.before}] ` : '',
      `${head}${middle}${tail}`.trim(),
      gone.after > 0 ? ` […${gone.after}]` : '',
    ].join('')
    const size = counter.count(shown)
    if (size <= maxTokens) return shown
    room = Math.min(room - 1, Math.floor((room * (maxTokens - markTokens)) / (size + 1)))
  }
  return shorten(text.slice(start), maxTokens, counter)
}

const maxPlaces = 5000

/** Returns the place in a text where most terms are close together. */
export function densestPlace(
  text: string,
  terms: readonly string[],
  width: number,
): { readonly start: number; readonly end: number } {
  const sorted = [...terms].sort((a, b) => b.length - a.length)
  if (sorted.length === 0) return { start: 0, end: 0 }
  const pattern = new RegExp(sorted.map(escapeRegExp).join('|'), 'giu')
  const places: { start: number; end: number; term: string }[] = []
  const counts = new Map<string, number>()
  for (const { 0: found, index } of text.matchAll(pattern)) {
    if (places.length === maxPlaces) break
    const term = found.toLowerCase()
    places.push({ start: index, end: index + found.length, term })
    counts.set(term, (counts.get(term) ?? 0) + 1)
  }
  // A term that is rare in the text identifies the place better.
  const worth = (term: string): number => 1 / (counts.get(term) ?? 1)
  const inside = new Map<string, number>()
  let best = { score: 0, start: 0, end: 0 }
  let score = 0
  let first = 0
  for (const place of places) {
    const before = inside.get(place.term) ?? 0
    inside.set(place.term, before + 1)
    if (before === 0) score += 1 + worth(place.term)
    for (
      let left = places[first];
      left !== undefined && place.end - left.start > width;
      left = places[++first]
    ) {
      const count = (inside.get(left.term) ?? 1) - 1
      inside.set(left.term, count)
      if (count === 0) score -= 1 + worth(left.term)
    }
    if (score > best.score + 1e-9)
      best = { score, start: places[first]?.start ?? place.start, end: place.end }
  }
  return { start: best.start, end: best.end }
}
