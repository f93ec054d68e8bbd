import { costText, count } from '../report/report-figures.ts'
import type { History, HistoryDecision, HistoryPart, OpenItem } from './history.ts'

// The figures of a history as text, the same in all its forms.

export const partHead = [
  'sessions',
  'tokens',
  'billed tokens',
  'cost',
  'summaries',
  'decisions',
  'open',
  'states',
] as const

export function partCells(part: HistoryPart): string[] {
  return [
    count(part.sessions),
    count(part.sourceTokens),
    count(part.billedTokens),
    priceText(part),
    costText(part.summaryCosts),
    count(part.decisions.length),
    count(part.open.length),
    part.states.map(([state, sessions]) => `${sessions} ${state}`).join(', '),
  ]
}

/** The cost of sessions, with what the price table does not know. */
function priceText({ costs, unpricedTokens, billedTokens }: HistoryPart): string {
  if (billedTokens === 0) return 'not in the logs'
  if (costs.length === 0) return 'no price'
  return `${costText(costs)}${unpricedTokens > 0 ? ` and ${count(unpricedTokens)} tokens without a price` : ''}`
}

export function historyTitle({ since, total }: History): string {
  const from = since === undefined ? '' : ` since ${since.slice(0, 10)}`
  return `${count(total.sessions)} session${total.sessions === 1 ? '' : 's'}${from}`
}

export function decisionText({ text, by, session, at }: HistoryDecision): string {
  return `${text} — by the ${by}, ${at.slice(0, 10)}, ${session}`
}

export function openText({ text, kind, session, at }: OpenItem): string {
  return `${kind}: ${text} — ${at.slice(0, 10)}, ${session}`
}
