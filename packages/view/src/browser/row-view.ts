import { type DetailActions, details } from './details.ts'
import { append, button, type Child, element, icon, withCopy } from './dom.ts'
import { clock, count, day, duration, fullTime, numberOf, oneLine, short } from './format.ts'
import { agentName, durationOf, type Item, type Model, type Turn } from './model.ts'
import type { PageEvent } from './page-data.ts'
import { permalink } from './permalink.ts'
import { pictures, prose } from './rich-text.ts'
import { type Row, searchPattern, textsOf, totalsOf } from './rows.ts'

export interface RowContext extends DetailActions {
  readonly model: Model
  readonly query: string
  readonly evidence: ReadonlySet<number>
  isOpen(key: string): boolean
  toggle(key: string): void
}

export function drawRow(row: Row, context: RowContext): HTMLElement {
  if (row.type === 'divider') return divider(row.key, context.model)
  if (row.type === 'turn') return turnRow(row.turn, row.folded, context)
  return itemRow(row.item, row.depth, context)
}

function divider(key: string, { data }: Model): HTMLElement {
  const { replayedFrom: from, id } = data.session
  const replayed = from === undefined ? 'Replayed from the parent session' : `Replayed from session ${from}`
  const own = data.revision === undefined ? `Session ${id} begins here` : `Live: session ${id} begins here`
  const text = key === 'replayed' ? replayed : own
  return element(
    'div',
    { class: `row divider ${key}`, 'data-key': key, role: 'separator', 'aria-label': text },
    element('span', {}, text),
  )
}

function turnRow(turn: Turn, folded: boolean, { model, toggle }: RowContext): HTMLElement {
  const { key, number, start, end, calls, failed, tokens, prompt, replayed } = turn
  const facts: Child[] = []
  if (start !== undefined)
    facts.push(element('time', { title: fullTime(start) }, `${day(start)}, ${clock(start)}`))
  if (start !== undefined && end !== undefined && end - start >= 1000)
    facts.push(element('span', {}, duration(end - start)))
  if (calls > 0) facts.push(element('span', {}, numberOf(calls, 'call')))
  if (failed > 0) facts.push(element('span', { class: 'bad' }, `${count(failed)} failed`))
  const head = button(
    { class: 'fold', 'aria-expanded': String(!folded), 'data-focus': key },
    () => toggle(key),
    icon('chevron'),
    number === 0 ? 'Before the first prompt' : `Turn ${number}`,
  )
  const row = element('section', { class: `row turn${replayed ? ' replayed' : ''}`, 'data-key': key })
  append(
    row,
    element('h2', {}, head),
    folded &&
      prompt !== undefined &&
      element('p', { class: 'excerpt' }, oneLine(model.data.events[prompt]?.text ?? '')),
    element('div', { class: 'facts' }, ...facts),
    tokenCount(tokens),
  )
  return row
}

function itemRow(item: Item, depth: number, context: RowContext): HTMLElement {
  const { model, evidence } = context
  const event = model.data.events[item.index]
  if (event === undefined) throw new Error(`no event ${item.index}`)
  const result = item.result === undefined ? undefined : model.data.events[item.result]
  const is = (set: { has(index: number): boolean }): boolean =>
    set.has(item.index) || set.has(item.result ?? -1)
  const stands = item.note === undefined && item.key === event.id
  const classes = [
    `row item ${item.note === undefined ? (item.agent === undefined ? event.type : 'agent') : 'note'}`,
    event.replayed && 'replayed',
    event.rewound && 'rewound',
    stands && is(model.kept) && 'kept',
    stands && is(evidence) && 'evidence',
    depth > 0 && 'nested',
  ]
  const row = element(
    'article',
    { class: classes.filter(Boolean).join(' '), 'data-key': item.key },
    gutter(item, event, model),
    element('div', { class: 'body' }, ...bodyOf(item, event, result, context)),
  )
  const own = stands ? event.tokens + (result?.tokens ?? 0) : 0
  append(row, tokenCount(own + totalsOf(item.agent, model).tokens))
  row.style.setProperty('--depth', String(depth))
  return row
}

function gutter(item: Item, event: PageEvent, { kept, cited }: Model): HTMLElement {
  if (item.note !== undefined || item.key !== event.id) return element('div', { class: 'gutter' })
  const indexes = [item.index, item.result ?? -1]
  const statements = new Set(indexes.flatMap((index) => cited.get(index) ?? [])).size
  const marks = [
    indexes.some((index) => kept.has(index)) && 'kept in the trail of the bundle',
    statements > 0 && `cited by ${numberOf(statements, 'statement')}`,
  ].filter((mark) => mark !== false)
  const label = [`Link to ${event.id}`, ...marks].join('; ')
  return element('div', { class: 'gutter', title: marks.join(', ') || undefined }, permalink(event.id, label))
}

function bodyOf(item: Item, event: PageEvent, result: PageEvent | undefined, context: RowContext): Child[] {
  if (item.note !== undefined) {
    const { message, code } = item.note
    return [line(['note', '', message, badge(code)])]
  }
  if (item.agent !== undefined) return foldable(item, agentLine(item, result, context), context)
  switch (event.type) {
    case 'user':
      return [speaker('You', event), said(event), ...imagesOf(event)]
    case 'assistant':
      return [said(event)]
    case 'tool_call':
      return foldable(item, toolLine(event, result), context)
    case 'tool_result':
      return foldable(item, ['other', 'Result without a call', oneLine(event.text ?? '')], context)
    case 'reasoning':
      return foldable(item, ['think', 'Thought', oneLine(event.text ?? '') || 'not in the log'], context)
    case 'context':
      return foldable(item, ['context', contextName(event), oneLine(event.text ?? '')], context)
    case 'compaction':
      return foldable(item, compactionLine(event), context)
    case 'rewind':
      return [line(['rewind', 'Rewound', numberOf(event.turns ?? 0, 'turn')])]
    case 'other':
      return foldable(item, ['other', event.name ?? '', oneLine(event.text ?? '')], context)
    default:
      return [line(['agent', event.type === 'subagent_start' ? 'Subagent started' : 'Subagent ended', ''])]
  }
}

function said({ text = '' }: PageEvent): HTMLElement {
  return withCopy(prose(text), () => text)
}

type Line = readonly [icon: string, name: string, target: string, ...badges: Child[]]

function line(parts: Line): HTMLElement {
  return element('div', { class: 'line' }, ...lineParts(parts))
}

function lineParts([symbol, name, target, ...badges]: Line): Child[] {
  return [
    icon(symbol),
    name !== '' && element('span', { class: 'name' }, name),
    element('span', { class: 'target' }, target),
    ...badges,
  ]
}

function foldable(item: Item, parts: Line, context: RowContext): Child[] {
  const open = context.isOpen(item.key)
  const head = button(
    { class: 'line', 'aria-expanded': String(open), 'data-focus': item.key },
    () => context.toggle(item.key),
    ...lineParts(parts),
  )
  return [head, open ? details(item, context.model, context) : found(item, context)]
}

function found(item: Item, { query, model }: RowContext): Child {
  if (query === '') return undefined
  const pattern = searchPattern(query)
  const events = [model.data.events[item.index], model.data.events[item.result ?? -1]]
  const text = events
    .flatMap((event) => (event === undefined ? [] : textsOf(event)))
    .find((part) => pattern.test(part))
  const at = text?.search(pattern) ?? -1
  if (text === undefined || at < 60) return undefined
  return element('p', { class: 'found' }, `… ${oneLine(text.slice(at - 50, at + 150), 200)} …`)
}

function toolLine(event: PageEvent, result: PageEvent | undefined): Line {
  const images = result?.images === undefined ? undefined : badge(numberOf(result.images, 'image'))
  const took = durationOf(event, result) ?? 0
  const time = took >= 1000 && element('span', { class: 'took', title: 'Duration' }, duration(took))
  return [event.kind ?? 'other', event.name ?? '', event.target ?? '', images, time, statusOf(event, result)]
}

function statusOf(event: PageEvent, result: PageEvent | undefined): Child {
  if (result === undefined) return event.replayed ? undefined : badge('no result', 'warn')
  if (result.status === 'error')
    return badge(result.exitCode === undefined ? 'failed' : `exit ${result.exitCode}`, 'bad')
  if (result.status === 'unknown') return badge('unknown')
  if (result.status !== 'ok' && result.status !== undefined) return badge(result.status, 'warn')
  return undefined
}

function agentLine(item: Item, result: PageEvent | undefined, { model }: RowContext): Line {
  const agent = model.data.session.agents[item.agent?.agent ?? -1]
  const { steps, failed } = totalsOf(item.agent, model)
  const size = steps === 0 ? 'no log of its own' : numberOf(steps, 'step')
  return [
    'agent',
    agent?.title === undefined ? 'Subagent' : (agent.type ?? 'Subagent'),
    agentName(agent),
    failed > 0 && badge(`${count(failed)} failed`, 'bad'),
    badge(size),
    result?.status === 'error' && badge('failed', 'bad'),
  ]
}

function compactionLine(event: PageEvent): Line {
  const before = event.tokensBefore === undefined ? '' : `at ${short(event.tokensBefore)} tokens`
  const size = event.text ? '' : 'summary not in the log'
  return ['compaction', 'Compacted', [before, event.name, size].filter(Boolean).join(', ')]
}

function contextName({ name, origin }: PageEvent): string {
  return (name ?? origin ?? 'context').replaceAll('_', ' ')
}

function speaker(name: string, { origin, time }: PageEvent): HTMLElement {
  const how =
    origin === 'queued' ? ' · queued while the agent worked' : origin === 'command' ? ' · command' : ''
  return element(
    'div',
    { class: 'speaker' },
    element('b', {}, name),
    how,
    time !== undefined && element('time', { title: fullTime(time) }, clock(time)),
  )
}

function imagesOf(event: PageEvent): Child[] {
  if (event.pictures !== undefined) return pictures(event)
  return event.images === undefined ? [] : [badge(numberOf(event.images, 'image'))]
}

function badge(text: string, tone = ''): HTMLElement {
  return element('span', { class: `badge ${tone}` }, text)
}

export function tokenCount(tokens: number): HTMLElement {
  return element('div', { class: 'tokens', title: `${count(tokens)} tokens` }, tokens > 0 && short(tokens))
}
