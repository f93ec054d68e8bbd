import { append, button, element } from './dom.ts'
import { count, fullTime } from './format.ts'
import type { Item, Model } from './model.ts'
import type { PageEvent } from './page-data.ts'
import { prose, verbatim } from './rich-text.ts'

export interface DetailActions {
  pick(statement: number): void
}

/** All details of a step, below its line. */
export function details(item: Item, model: Model, actions: DetailActions): HTMLElement {
  const { events } = model.data
  const event = events[item.index]
  const box = element('div', { class: 'details' })
  if (event === undefined) return box
  const result = item.result === undefined ? undefined : events[item.result]
  append(box, ...bundleParts(item, model, actions))
  if (event.type === 'tool_call') append(box, ...inputParts(event))
  else if (event.type === 'compaction' || event.type === 'reasoning') append(box, prose(event.text ?? ''))
  else if (event.text) append(box, verbatim(event.text))
  if (result !== undefined) append(box, ...resultParts(result))
  append(box, footer(event, result))
  return box
}

const changed: ReadonlyMap<string, string> = new Map([
  ['old_string', 'removed'],
  ['old_str', 'removed'],
  ['new_string', 'added'],
  ['new_str', 'added'],
])

function inputParts(event: PageEvent): HTMLElement[] {
  const short = (event.input ?? []).filter(
    ([key, value]) => key !== '' && !value.includes('\n') && value.length < 160,
  )
  const long = (event.input ?? []).filter((entry) => !short.includes(entry) && entry[1] !== '')
  const list = element('dl', { class: 'fields' })
  for (const [key, value] of short)
    list.append(element('dt', {}, key), element('dd', { class: changed.get(key) }, value))
  return [
    ...(short.length > 0 ? [list] : []),
    ...long.map(([key, value]) => part(key === '' ? 'Input' : key, patchOr(value, changed.get(key) ?? ''))),
  ]
}

function resultParts(result: PageEvent): HTMLElement[] {
  const failed = result.status !== 'ok' && result.status !== 'unknown'
  const changes = result.changes ?? []
  const images =
    result.images === undefined ? '' : `${count(result.images)} image(s), not kept in the log’s text`
  return [
    ...(changes.length > 0 ? [part('Changed', verbatim(changes.join('\n')))] : []),
    part(
      result.status === 'ok' ? 'Output' : `Output (${result.status})`,
      verbatim(result.text || images || '(nothing)', failed ? 'bad' : ''),
    ),
  ]
}

/** Lines of a patch in the colours of a patch. */
function patchOr(text: string, kind: string): HTMLElement {
  if (kind !== '' || !/^(?:\*\*\* Begin Patch|diff --git|--- )/.test(text)) return verbatim(text, kind)
  const block = element('pre', { class: 'verbatim', tabindex: 0 })
  for (const line of text.split('\n').slice(0, 2000)) {
    const tone = /^\+(?!\+\+)/.test(line) ? 'added' : /^-(?!--)/.test(line) ? 'removed' : undefined
    block.append(element('span', { class: tone }, `${line}\n`))
  }
  return text.split('\n').length > 2000 ? verbatim(text) : block
}

function bundleParts(item: Item, { kept, cited, data }: Model, { pick }: DetailActions): HTMLElement[] {
  const indexes = [item.index, ...(item.result === undefined ? [] : [item.result])]
  const excerpts = new Set(indexes.flatMap((index) => kept.get(index) ?? []))
  const statements = new Set(indexes.flatMap((index) => cited.get(index) ?? []))
  const buttons = [...statements].map((statement) =>
    button(
      { class: 'cite' },
      () => pick(statement.number),
      element('b', {}, statement.section),
      ` ${statement.text}`,
    ),
  )
  return [
    ...[...excerpts].map(({ text, event, until }) => {
      const run = event === until ? '' : ` (${data.events[event]?.id}–${data.events[until]?.id} in one line)`
      return part(`Kept in the bundle${run}`, verbatim(text || '(named only)', 'kept'))
    }),
    ...(buttons.length > 0 ? [part('Cited by', element('div', { class: 'cites' }, ...buttons))] : []),
  ]
}

function part(label: string, body: HTMLElement): HTMLElement {
  return element('section', { class: 'part' }, element('h4', {}, label), body)
}

function footer(event: PageEvent, result: PageEvent | undefined): HTMLElement {
  const ids = result === undefined ? event.id : `${event.id} → ${result.id}`
  const time = event.time === undefined ? '' : fullTime(event.time)
  const tokens =
    result === undefined
      ? `${count(event.tokens)} tokens`
      : `${count(event.tokens)} + ${count(result.tokens)} tokens`
  const parts = [ids, time, tokens, event.model ?? '', event.source].filter((text) => text !== '')
  return element('p', { class: 'footer' }, parts.join('  ·  '))
}
