import { append, byId, element } from './dom.ts'
import { count, duration, fullTime, money, numberOf, percent, short } from './format.ts'
import { isFailure, type Model } from './model.ts'
import type { PageSession } from './page-data.ts'

export function drawHeader({ data, turns }: Model): void {
  const { session, events } = data
  const name = session.title ?? session.id
  document.title = `${name} · Tenfold`
  byId('title').textContent = name
  byId('title').title = name
  byId('about').textContent = aboutOf(session, name)
  const own = events.filter(({ replayed }) => !replayed)
  const failed = own.filter(isFailure).length
  const { started, ended, agents, cost, tokens } = session
  const usage = new Map(session.usage)
  const billed = usage.has('input') || usage.has('output')
  const stats: (readonly [label: string, value: string, title?: string] | false)[] = [
    ['Source tokens', short(tokens.total), `${count(tokens.total)} tokens by ${tokens.counter}`],
    ['Events', count(events.length)],
    ['Turns', count(turns.filter(({ number, replayed }) => number > 0 && !replayed).length)],
    ['Tool calls', count(own.filter(({ type }) => type === 'tool_call').length)],
    agents.length > 1 && ['Subagents', count(agents.length - 1)],
    started !== undefined &&
      ended !== undefined && [
        'Duration',
        duration(ended - started),
        `${fullTime(started)} to ${fullTime(ended)}`,
      ],
    billed && [
      'Billed in / out',
      `${short(usage.get('input') ?? 0)} / ${short(usage.get('output') ?? 0)}`,
      usageTitle(usage),
    ],
    cost !== undefined && [
      'Cost',
      money(cost.amount, cost.currency),
      `At the list prices of ${cost.pricesOf}, without surcharges for long prompts`,
    ],
  ]
  const shown = stats.flatMap((stat) => {
    if (!stat) return []
    const [label, value, title] = stat
    const number = element('dd', { title }, value)
    if (label === 'Tool calls' && failed > 0)
      append(number, element('small', { class: 'bad' }, ` ${count(failed)} failed`))
    return [element('div', {}, element('dt', {}, label), number)]
  })
  byId('stats').replaceChildren(...shown)
}

function usageTitle(usage: ReadonlyMap<string, number>): string {
  const [input = 0, cached = 0] = [usage.get('input'), usage.get('cache read')]
  const share = input > 0 && cached > 0 ? `; ${percent(cached / input)} of the input came from the cache` : ''
  return `Billed by the provider: ${[...usage].map(([name, value]) => `${name} ${count(value)}`).join(', ')}${share}`
}

function aboutOf(session: PageSession, name: string): string {
  const { id, format, version = '', cwd, branch, models, files, started } = session
  const parts = [
    `${format} ${version}`.trim(),
    models.join(', '),
    cwd,
    branch,
    started === undefined ? '' : fullTime(started),
    files > 1 ? numberOf(files, 'file') : '',
    name === id ? '' : id,
  ]
  return parts.filter(Boolean).join('  ·  ')
}

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
    const where = element('small', {}, place.filter(Boolean).join(', '))
    return element('li', {}, element('b', {}, code), ` ${message} `, where)
  })
  byId('notes-list').replaceChildren(...items)
}
