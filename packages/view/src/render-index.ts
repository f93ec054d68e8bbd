import { cleanLine, cutHead, known } from '@tenfold/core/internal'
import type { PageData } from './browser/page-data.ts'
import { escapeText, htmlPage, policyOf } from './html-page.ts'
import { indexScript, indexStyle } from './page-assets.ts'

/**
 * Renders an index of many sessions as one HTML file, newest first. The table is HTML, so that it can be read without
 * scripts; the script searches, filters and sorts it.
 */
export function renderIndex(entries: readonly IndexEntry[]): string {
  const newest = entries.toSorted((a, b) => timeOf(b) - timeOf(a) || a.href.localeCompare(b.href, 'en'))
  const parts = { script: indexScript(), style: indexStyle() }
  return htmlPage({ ...parts, title: 'Sessions · Tenfold', policy: policyOf(parts), body: bodyOf(newest) })
}

function timeOf({ started, ended }: IndexEntry): number {
  return ended ?? started ?? 0
}

const times = [
  ['', 'Any time'],
  ['1', 'Last day'],
  ['7', 'Last 7 days'],
  ['30', 'Last 30 days'],
  ['365', 'Last year'],
] as const

const ratios = [
  ['', 'Any ratio'],
  ['0-0.05', 'Below 5 %'],
  ['0.05-0.1', '5 to 10 %'],
  ['0.1-', 'Above 10 %'],
  ['none', 'No bundle'],
] as const

const columns = [
  ['title', 'Session', ''],
  ['project', 'Project', ''],
  ['agent', 'Agent', ''],
  ['time', 'Ended', ''],
  ['turns', 'Turns', 'number'],
  ['tokens', 'Tokens', 'number'],
  ['ratio', 'Ratio', 'number'],
  ['cost', 'Cost', 'number'],
] as const

function bodyOf(entries: readonly IndexEntry[]): string {
  const tokens = entries.reduce((sum, { sourceTokens }) => sum + sourceTokens, 0)
  const hasCost = entries.some(({ cost }) => cost !== undefined)
  const shown = columns.filter(([key]) => key !== 'cost' || hasCost)
  const heads = shown.map(
    ([key, label, kind]) =>
      `<th scope="col" class="${kind}"${key === 'time' ? ' aria-sort="descending"' : ''}><button type="button">${label}</button></th>`,
  )
  return `<header><h1>Sessions</h1><p>${entries.length} ${entries.length === 1 ? 'session' : 'sessions'}, ${count(tokens)} tokens</p></header>
<main>
<div class="filters" role="search">
<input id="search" type="search" placeholder="Search" aria-label="Search titles, prompts and statements" autocomplete="off" spellcheck="false">
${choice('project', 'Project', [['', 'All projects'], ...named(entries.map(({ project }) => project))])}
${choice('agent', 'Agent', [['', 'All agents'], ...named(entries.map(({ agent }) => agent))])}
${choice('time', 'Time', times, 'days')}
${choice('ratio', 'Ratio', ratios, 'range')}
<p id="status" role="status"></p>
</div>
<table data-sortable><thead><tr>${heads.join('')}</tr></thead>
<tbody id="sessions">
${entries.map((entry) => rowOf(entry, hasCost)).join('\n')}
</tbody></table>
<p id="nothing" hidden>No session matches.</p>
</main>`
}

function named(names: readonly string[]): [string, string][] {
  return [...new Set(names)]
    .filter((name) => name !== '')
    .sort()
    .map((name) => [name, name])
}

function choice(
  name: string,
  label: string,
  options: readonly (readonly [string, string])[],
  test = 'equal',
): string {
  const items = options.map(
    ([value, text]) => `<option value="${escapeText(value)}">${escapeText(text)}</option>`,
  )
  return `<select id="${name}" name="${name}" data-test="${test}" aria-label="${label}">${items.join('')}</select>`
}

function rowOf(entry: IndexEntry, hasCost: boolean): string {
  const { href, title, project, agent, turns, sourceTokens, ratio, cost, words } = entry
  const time = timeOf(entry)
  const data = { words, project, agent, time, ratio: ratio ?? '' }
  const attributes = Object.entries(data).map(([name, value]) => `data-${name}="${escapeText(`${value}`)}"`)
  const cells = [
    `<th scope="row"><a href="${escapeText(href)}">${escapeText(title)}</a></th>`,
    `<td class="project">${escapeText(project)}</td>`,
    `<td>${escapeText(agent)}</td>`,
    `<td data-value="${time}">${time === 0 ? '' : `<time datetime="${new Date(time).toISOString()}">${dayOf(time)}</time>`}</td>`,
    `<td class="number" data-value="${turns}" data-unit="${turns === 1 ? 'turn' : 'turns'}">${count(turns)}</td>`,
    `<td class="number" data-value="${sourceTokens}" data-unit="tokens">${count(sourceTokens)}</td>`,
    `<td class="number" data-value="${ratio ?? ''}">${ratio === undefined ? '' : percent(ratio)}</td>`,
    hasCost &&
      `<td class="number" data-value="${cost?.amount ?? ''}">${cost === undefined ? '' : money(cost.amount, cost.currency)}</td>`,
  ]
  return `<tr ${attributes.join(' ')}>${cells.filter(Boolean).join('')}</tr>`
}

/** In UTC, so that the file does not depend on the machine; the script shows the time zone of the reader. */
function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 16).replace('T', ' ')
}

function count(value: number): string {
  return value.toLocaleString('en-US')
}

/** The bundle of a session of a few words is several times as large: no decimals then. */
function percent(share: number): string {
  return `${share < 1 ? (share * 100).toFixed(1) : count(Math.round(share * 100))} %`
}

function money(amount: number, currency: string): string {
  return amount.toLocaleString('en-US', { style: 'currency', currency })
}

/** A session in an index of many. */
export interface IndexEntry {
  /** Address of its page, relative to the index. */
  readonly href: string
  /** Of the session. */
  readonly title: string
  /** The folder that the session worked in, shortened to its last two names. */
  readonly project: string
  /** The agent, by the name of its format. */
  readonly agent: string
  /** Milliseconds since 1970. */
  readonly started?: number
  /** Milliseconds since 1970. */
  readonly ended?: number
  /** Number of user messages. */
  readonly turns: number
  /** Size of the session. */
  readonly sourceTokens: number
  /** Size of the bundle as a share of the source tokens; absent without a bundle. */
  readonly ratio?: number
  /** What the session cost, by a table of prices. */
  readonly cost?: PageData['session']['cost']
  /** What the search covers beside the title: what the user asked, and the statements of the bundle. */
  readonly words: string
}

const maxWords = 6000

/** The entry of a page in an index. */
export function indexEntry({ session, events, bundle }: PageData, href: string): IndexEntry {
  const { cwd = '', started, ended, cost, format } = session
  const prompts = events.filter(({ type, replayed }) => type === 'user' && !replayed)
  const asked = prompts.map(({ text = '' }) => text)
  const stated = bundle?.sections.flatMap(({ statements }) => statements.map(({ text }) => text)) ?? []
  const words = [session.id, cwd, session.branch ?? '', ...asked.map((text) => text.slice(0, 600)), ...stated]
  return {
    href,
    title: session.title ?? session.id,
    project: cwd
      .split(/[\\/]/)
      .filter((name) => name !== '')
      .slice(-2)
      .join('/'),
    agent: format,
    turns: new Set(prompts.map(({ turn }) => turn)).size,
    sourceTokens: session.tokens.total,
    ...known({ started, ended, ratio: bundle?.ratio, cost }),
    words: cutHead(cleanLine(words.join(' ')), maxWords),
  }
}
