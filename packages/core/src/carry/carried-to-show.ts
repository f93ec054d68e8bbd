import type { ContextBundle } from '../bundle/schema.ts'
import { emptySummary } from '../bundle/section-contents.ts'
import type { Facts } from '../facts/facts.ts'
import type { Session } from '../session/session.ts'
import type { ShownItem } from '../summarize/shown-items.ts'
import { type CarriedItem, carryOver } from './carry-over.ts'

/** Returns the items that a summarizer is asked about: all that code alone would carry over from the earlier bundle. */
export function carriedToShow(parent: ContextBundle, session: Session, facts: Facts): ShownItem[] {
  const nothingSaid = { ...emptySummary(), projectRules: [] }
  return numberCarried(carryOver(parent, session, facts, nothingSaid).items)
}

const order = ['constraint', 'rule', 'step', 'decision']

/** Numbers carried items: constraints and rules first, then steps and decisions, each with the newest first. */
export function numberCarried(items: readonly CarriedItem[]): ShownItem[] {
  return items
    .toReversed()
    .toSorted((a, b) => order.indexOf(a.as) - order.indexOf(b.as))
    .map(({ as, text }, index) => ({ id: `c${index + 1}`, as, text }))
}
