import type { TranscriptItem } from '../../plan/transcript-item.ts'

/** Consecutive items of a transcript, by their positions in it; an item may be shortened. */
export interface TranscriptPart {
  readonly start: number
  /** Index after the last item. */
  readonly end: number
  readonly items: readonly TranscriptItem[]
  /** Tokens that the items take in a request. */
  readonly tokens: number
  /** Number of the part and of all parts; a half of 2/5 is 3/10 or 4/10. */
  readonly place: { readonly number: number; readonly of: number }
}
