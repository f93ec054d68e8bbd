import { append, byId, element } from './dom.ts'
import { count, duration, fullTime, money, numberOf, percent, short } from './format.ts'
import { isFailure, type Model } from './model.ts'
import type { PageSession } from './page-data.ts'

/** Fills the head of the page: the name of the session, and its totals. */
export function drawHeader(model: Model): void {
  const { session, events } = model.data
  const name = session.title ?? session.id
  document.title = `${name} · Tenfold`
  byId('title').textContent = name
  byId('title').title = name
  byId('about').textContent = aboutOf(session, name)
  const prompts = model.turns.filter(({ number, replayed }) => number > 0 && !replayed).length
  const calls = events.filter(({ type, replayed }) => type === 'tool_call' && !replayed).length
  const failed = events.filter((event) => isFailure(event) && !event.replayed).length
  const { started, ended } = session
  const stats = byId('stats')
  stats.replaceChildren()
  stat(
    stats,
    'Source tokens',
    short(session.tokens.total),
    `${count(session.tokens.total)} tokens by ${session.tokens.counter}`,
  )
  stat(stats, 'Events', count(events.length))
  stat(stats, 'Turns', count(prompts))
  stat(stats, 'Tool calls', count(calls), failed > 0 ? `${count(failed)} failed` : undefined, failed)
  if (session.agents.length > 1) stat(stats, 'Subagents', count(session.agents.length - 1))
  if (started !== undefined && ended !== undefined)
    stat(stats, 'Duration', duration(ended - started), `${fullTime(started)} to ${fullTime(ended)}`)
  const usage = new Map(session.usage)
  const input = usage.get('input')
  const output = usage.get('output')
  if (input !== undefined || output !== undefined)
    stat(stats, 'Billed in / out', `${short(input ?? 0)} / ${short(output ?? 0)}`, usageTitle(session))
  const { cost } = session
  if (cost !== undefined)
    stat(
      stats,
      'Cost',
      money(cost.amount, cost.currency),
      `At the list prices of ${cost.pricesOf}, without surcharges for long prompts`,
    )
}

function stat(list: HTMLElement, label: string, value: string, title?: string, failed = 0): void {
  const number = element('dd', { title }, value)
  append(number, failed > 0 && element('small', { class: 'bad' }, ` ${count(failed)} failed`))
  list.append(element('div', {}, element('dt', {}, label), number))
}

function usageTitle({ usage }: PageSession): string {
  const input = usage.find(([name]) => name === 'input')?.[1] ?? 0
  const cached = usage.find(([name]) => name === 'cache read')?.[1] ?? 0
  const share = input > 0 && cached > 0 ? `; ${percent(cached / input)} of the input came from the cache` : ''
  return `Billed by the provider: ${usage.map(([name, value]) => `${name} ${count(value)}`).join(', ')}${share}`
}

function aboutOf(
  { id, format, version, cwd, branch, models, files, started }: PageSession,
  name: string,
): string {
  const parts = [
    version === undefined ? format : `${format} ${version}`,
    models.join(', '),
    cwd ?? '',
    branch ?? '',
    started === undefined ? '' : fullTime(started),
    files.length > 1 ? numberOf(files.length, 'file') : '',
    name === id ? '' : id,
  ]
  return parts.filter((part) => part !== '').join('  ·  ')
}

/** The notes of the reader, in the dialog that the button opens. */
export function drawNotes({ data }: Model): void {
  const { notes } = data.session
  const opener = byId('notes-button')
  opener.hidden = notes.length === 0
  opener.textContent = numberOf(notes.length, 'note')
  const items = notes.map(({ code, message, file, line, count: times }) => {
    const place = [
      file,
      line === undefined ? '' : `line ${line}`,
      times === undefined ? '' : `${count(times)}×`,
    ]
    return element(
      'li',
      {},
      element('b', {}, code),
      ` ${message} `,
      element('small', {}, place.filter((part) => part).join(', ')),
    )
  })
  byId('notes-list').replaceChildren(...items)
}
