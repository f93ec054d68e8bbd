import { termsOf } from './terms.ts'

/** Which texts hold which terms. */
export interface Postings {
  /** Each term once. */
  readonly terms: readonly string[]
  /** The postings of term `i` are those from `starts[i]` to before `starts[i + 1]`. */
  readonly starts: Uint32Array
  /** For each posting, the position of its text, ascending for each term. */
  readonly texts: Uint32Array
  /** For each posting, how often the text holds the term. */
  readonly counts: Uint32Array
  /** Number of different terms in each text. */
  readonly lengths: Uint32Array
}

/** Collects the terms of texts, in time linear to their length. */
export function postingsOf(texts: readonly string[]): Postings {
  const vocabulary = createVocabulary()
  const seen: number[] = []
  const lengths = new Uint32Array(texts.length)
  // For each text its different terms and how often it holds them, one text after another.
  const ids: number[] = []
  const counts: number[] = []
  for (const [at, text] of texts.entries()) {
    const first = ids.length
    eachPiece(text, (piece) => {
      for (const id of vocabulary.idsOf(piece)) {
        const times = seen[id] ?? 0
        if (times === 0) ids.push(id)
        seen[id] = times + 1
      }
    })
    for (let next = first; next < ids.length; next++) {
      const id = ids[next] as number
      counts.push(seen[id] as number)
      seen[id] = 0
    }
    lengths[at] = ids.length - first
  }
  return { terms: vocabulary.terms, ...byTerm(vocabulary.terms.length, ids, counts, lengths), lengths }
}

/** Sorts the postings by term. */
function byTerm(
  terms: number,
  ids: readonly number[],
  times: readonly number[],
  lengths: Uint32Array,
): Pick<Postings, 'starts' | 'texts' | 'counts'> {
  const starts = new Uint32Array(terms + 1)
  for (const id of ids) starts[id + 1] = (starts[id + 1] as number) + 1
  for (let id = 0; id < terms; id++) starts[id + 1] = (starts[id + 1] as number) + (starts[id] as number)
  const free = starts.slice()
  const texts = new Uint32Array(ids.length)
  const counts = new Uint32Array(ids.length)
  let next = 0
  for (const [text, length] of lengths.entries()) {
    for (const end = next + length; next < end; next++) {
      const id = ids[next] as number
      const place = free[id] as number
      free[id] = place + 1
      texts[place] = text
      counts[place] = times[next] as number
    }
  }
  return { starts, texts, counts }
}

/** A longer piece rarely occurs twice. */
const maxKnownLength = 80

/** Numbers terms. Splits a piece of text into terms once, because logs repeat the same words. */
function createVocabulary() {
  const terms: string[] = []
  const idOf = new Map<string, number>()
  const known = new Map<string, readonly number[]>()
  const number = (term: string): number => {
    const id = idOf.get(term) ?? terms.length
    if (id === terms.length) {
      terms.push(term)
      idOf.set(term, id)
    }
    return id
  }
  return {
    terms,
    idsOf(piece: string): readonly number[] {
      const before = known.get(piece)
      if (before !== undefined) return before
      const ids = termsOf(piece).map(number)
      if (piece.length <= maxKnownLength) known.set(piece, ids)
      return ids
    },
  }
}

/** 1 for ASCII letters, digits and `_`, 2 for other ASCII characters. */
const asciiClass = Uint8Array.from({ length: 128 }, (_, code) =>
  /\w/.test(String.fromCharCode(code)) ? 1 : 2,
)

/**
 * Splits a text at ASCII characters that belong to no word, so that the terms of the pieces are those of the text. A
 * combining mark at the start of a piece may change the character before it, which thus belongs to the piece.
 */
function eachPiece(text: string, take: (piece: string) => void): void {
  let start = 0
  for (let at = 0; at <= text.length; at++) {
    if (at < text.length && asciiClass[text.charCodeAt(at)] !== 2) continue
    if (at > start) take(text.slice(start > 0 && text.charCodeAt(start) > 0x7f ? start - 1 : start, at))
    start = at + 1
  }
}
