import { formatCarried } from '../bundle/item-forms.ts'
import type { ContextBundle } from '../bundle/schema.ts'
import type { BundlePlan } from '../plan/plan-bundle.ts'
import { shortLine } from '../session/short-line.ts'

type Carried = NonNullable<ContextBundle['carried']>

/** Share of the budget that carried items may take. */
const maxShare = 0.25

/** Tokens that they may take beyond the budget of a small session, which has no room for what others left. */
const maxBesideSmall = 1500

/** For heading and blank line. */
const headingTokens = 8

/** Length of a step or a decision if not all fit in full. */
const shortLength = 140

/** The carried items that fit, their tokens, and the budget that is left for the rest of the bundle. */
export interface FittedCarried<Plan extends BundlePlan> {
  readonly carried: Carried
  readonly dropped: number
  readonly rest: Plan
}

/** Takes as many carried items as fit: rules before steps before decisions, of each the newest. */
export function fitCarried<Plan extends BundlePlan>(all: Carried, plan: Plan): FittedCarried<Plan> {
  const { budget, counter } = plan
  const beside = budget.small && !budget.capped
  const room = beside ? maxBesideSmall : Math.floor(budget.maxTokens * maxShare)
  const sizeOf = (items: Carried) => counter.count(formatCarried(items).join('\n')) + headingTokens
  const fits = (items: Carried) => items.length === 0 || sizeOf(items) <= room
  const short = all.map((item) =>
    item.as === 'step' || item.as === 'decision'
      ? { ...item, text: shortLine(item.text, shortLength) }
      : item,
  )
  const carried = fits(all) ? all : newestThatFit(short, fits)
  const tokens = beside || carried.length === 0 ? 0 : sizeOf(carried)
  const rest = { ...plan, budget: { ...budget, maxTokens: budget.maxTokens - tokens } }
  return { carried, dropped: all.length - carried.length, rest }
}

const order = ['constraint', 'rule', 'step', 'decision']

function newestThatFit(items: Carried, fits: (items: Carried) => boolean): Carried {
  const ranked = items
    .map((item, index) => ({ item, index }))
    .sort((a, b) => order.indexOf(a.item.as) - order.indexOf(b.item.as) || b.index - a.index)
  const first = (count: number) => {
    const kept = new Set(ranked.slice(0, count).map(({ index }) => index))
    return items.filter((_, index) => kept.has(index))
  }
  let low = 0
  for (let high = items.length; low < high; ) {
    const middle = Math.ceil((low + high) / 2)
    if (fits(first(middle))) low = middle
    else high = middle - 1
  }
  return first(low)
}
