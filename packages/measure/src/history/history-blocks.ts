import { type Block, blocksToMarkdown } from '../report/blocks.ts'
import { costText, count } from '../report/report-figures.ts'
import type { History, HistoryDecision, HistoryPart, OpenItem } from './history.ts'

const partHead = [
  ...(['sessions', 'tokens', 'billed tokens', 'cost'] as const),
  ...(['summaries', 'decisions', 'open', 'states'] as const),
] as const

function partCells(part: HistoryPart): string[] {
  const { costs, unpricedTokens, billedTokens } = part
  const unpriced = unpricedTokens > 0 ? ` and ${count(unpricedTokens)} tokens without a price` : ''
  const price = costs.length === 0 ? 'no price' : `${costText(costs)}${unpriced}`
  return [
    count(part.sessions),
    count(part.sourceTokens),
    count(billedTokens),
    billedTokens === 0 ? 'not in the logs' : price,
    costText(part.summaryCosts),
    count(part.decisions.length),
    count(part.open.length),
    part.states.map(([state, sessions]) => `${sessions} ${state}`).join(', '),
  ]
}

export function historyTitle({ since, total }: History): string {
  const from = since === undefined ? '' : ` since ${since.slice(0, 10)}`
  return `${count(total.sessions)} session${total.sessions === 1 ? '' : 's'}${from}`
}

function decisionText({ text, by, session, at }: HistoryDecision): string {
  return `${text} — by the ${by}, ${at.slice(0, 10)}, ${session}`
}

function openText({ text, kind, session, at }: OpenItem): string {
  return `${kind}: ${text} — ${at.slice(0, 10)}, ${session}`
}

/** The content of a history, the same in all formats. */
export function historyBlocks({ weeks, projects }: History): Block[] {
  const table = (title: string, name: string, parts: readonly HistoryPart[]): Block => ({
    title,
    head: [name, ...partHead],
    rows: parts.map((part) => [{ log: part.name, most: 60 }, ...partCells(part)]),
  })
  return [
    table('Weeks', 'week of', weeks),
    table('Projects', 'project', projects),
    ...projects.flatMap(({ name, decisions, open }): Block[] => {
      const list = (what: string, texts: readonly string[], folded: boolean): Block => ({
        title: [`${what} in `, { log: name, most: 60 }, ` (${count(texts.length)})`],
        folded,
        rows: texts.map((text) => [{ log: text, most: 300 }]),
      })
      return [list('Open', open.map(openText), false), list('Decided', decisions.map(decisionText), true)]
    }),
  ]
}

/** The history as Markdown, in which text from logs has no effect. */
export function historyToMarkdown(history: History): string {
  return `${[`# ${historyTitle(history)}`, ...blocksToMarkdown(historyBlocks(history), 30)].join('\n\n')}\n`
}
