import type { ReadingItem } from '../../plan/transcript-item.ts'

/** Consecutive items of a reading, by their positions in it; an item may be shortened. */
export interface ReadingPart {
  readonly start: number
  /** Behind the last item. */
  readonly end: number
  readonly items: readonly ReadingItem[]
  /** Tokens that the items take in a request. */
  readonly tokens: number
  /** Which part it is of how many; a half of 2/5 is 3/10 or 4/10. */
  readonly place: { readonly number: number; readonly of: number }
}
