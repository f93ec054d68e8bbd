import type { ContextBundle } from '../bundle/schema.ts'
import { shortLine } from '../session/short-line.ts'
import type { TokenCounter } from '../tokens/token-counter.ts'

type CarriedItem = NonNullable<ContextBundle['carried']>[number]

/** A carried item as shown to a summarizer, with an id that it can cite: `c1`. */
export interface ShownItem extends Pick<CarriedItem, 'as' | 'text'> {
  /** Id by which the model refers to the item, such as `c1`. */
  readonly id: string
}

/** A summarizer's claim that an event shows that a carried item was done, revoked or changed. */
export interface SettledClaim {
  /** Id of the carried item. */
  readonly id: string
  /** Id of the event. Not checked. */
  readonly event: string
}

/** A claim with its item. Not checked by code. */
export interface ItemClaim extends SettledClaim {
  /** Absent if no item with that id was shown. */
  readonly item?: Pick<CarriedItem, 'as' | 'text'>
}

/** Share of a summarizer's input for carried items, within these bounds. */
const share = 0.05
const leastTokens = 500
const mostTokens = 2000

/** Additional tokens of a request with carried items: the task, and a field of the answer. */
const aboutTokens = 150

/** Tokens of id, kind and line break. */
const lineTokens = 8

/** Maximum characters of a shown item: enough to recognize it. */
const shownLength = 240

/** Returns the first items that fit next to a part of the transcript; long texts are shortened. */
export function carriedBeside(
  items: readonly ShownItem[],
  {
    tokens,
    contextWindow = Number.POSITIVE_INFINITY,
  }: { tokens: number; contextWindow?: number | undefined },
  counter: TokenCounter,
): ShownItem[] {
  const most = Math.min(mostTokens, Math.max(leastTokens, tokens * share), contextWindow * share)
  let left = most - aboutTokens
  const shown: ShownItem[] = []
  for (const item of items) {
    const text = shortLine(item.text, shownLength)
    left -= counter.count(text) + lineTokens
    if (left < 0) break
    shown.push({ ...item, text })
  }
  return shown
}
