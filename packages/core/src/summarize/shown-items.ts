import type { ContextBundle } from '../bundle/schema.ts'
import { shortLine } from '../session/short-line.ts'
import type { TokenCounter } from '../tokens/token-counter.ts'

type CarriedItem = NonNullable<ContextBundle['carried']>[number]

/** A carried item as a summarizer is shown it, under an id that it can cite: `c1`. */
export interface ShownItem extends Pick<CarriedItem, 'as' | 'text'> {
  /** By which the model refers to it. */
  readonly id: string
}

/** What a summarizer says of a carried item: this event shows that it was done, revoked or changed. */
export interface SettledClaim {
  /** The item that the session settled. */
  readonly id: string
  /** Id of an event. Not checked. */
  readonly event: string
}

/** A claim with its item; absent if no item with that id was shown. Code has not checked it. */
export interface ItemClaim extends SettledClaim {
  /** The carried item that the model speaks of. */
  readonly item?: Pick<CarriedItem, 'as' | 'text'>
}

/** Share that carried items may take of what a summarizer reads, within these bounds. */
const share = 0.05
const leastTokens = 500
const mostTokens = 2000

/** What a request says about them beside the items: the task and the field of the answer. */
const aboutTokens = 150

/** Id, sort and line break. */
const lineTokens = 8

/** Length of an item that is shown: enough to know it. */
const shownLength = 240

/** Returns the first items that fit beside a part of the transcript; long texts are shortened. */
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
