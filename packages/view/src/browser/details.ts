import { languageOf } from './code.ts'
import { append, button, copyButton, element } from './dom.ts'
import { count, duration, fullTime, numberOf } from './format.ts'
import { durationOf, type Item, type Model } from './model.ts'
import type { PageEvent } from './page-data.ts'
import { linkTo } from './permalink.ts'
import { diffView, pictures, prose, verbatim } from './rich-text.ts'

export interface DetailActions {
  pick(statement: number): void
}

export function details(item: Item, model: Model, actions: DetailActions): HTMLElement {
  const { events } = model.data
  const event = events[item.index]
  const box = element('div', { class: 'details' })
  if (event === undefined) return box
  const result = item.result === undefined ? undefined : events[item.result]
  append(box, ...bundleParts(item, model, actions))
  if (event.type === 'tool_call') append(box, ...inputParts(event))
  else if (event.type === 'compaction' || event.type === 'reasoning') append(box, prose(event.text ?? ''))
  else if (event.text) append(box, verbatim(event.text, '', event.type === 'other' ? 'json' : ''))
  append(box, ...pictures(event))
  if (result !== undefined) append(box, ...resultParts(result))
  append(box, footer(event, result))
  return box
}

function inputParts(event: PageEvent): HTMLElement[] {
  const { edits = [], input = [] } = event
  const short = input.filter(([key, value]) => key !== '' && !value.includes('\n') && value.length < 160)
  const long = input.filter((entry) => !short.includes(entry) && entry[1] !== '')
  const list = element('dl', { class: 'fields' })
  for (const [key, value] of short) list.append(element('dt', {}, key), element('dd', {}, value))
  const language = languageOf(pathOf(event))
  return [
    ...(short.length > 0 ? [list] : []),
    ...edits.map(([before, after], index) => {
      const label = edits.length === 1 ? 'Edit' : `Edit ${index + 1} of ${edits.length}`
      return part(label, diffView(before, after, language))
    }),
    ...long.map(([key, value]) =>
      part(key === '' ? 'Input' : key, patchOr(value, languageOfInput(event, key, language))),
    ),
  ]
}

function pathOf({ input = [] }: PageEvent): string {
  return input.find(([key]) => /^(?:file_?|target_?|notebook_?)?(?:path|file)$/i.test(key))?.[1] ?? ''
}

function languageOfInput({ kind }: PageEvent, key: string, language: string): string {
  if (kind === 'execute') return /^(?:command|cmd|script|)$/.test(key) ? 'bash' : ''
  return /^(?:content|contents|file_text|text|code)$/.test(key) ? language : ''
}

function resultParts(result: PageEvent): HTMLElement[] {
  const failed = result.status !== 'ok' && result.status !== 'unknown'
  const changes = result.changes ?? []
  const images =
    result.images === undefined
      ? ''
      : `${numberOf(result.images, 'image')}, not on this page (tenfold view --images shows them)`
  return [
    ...(changes.length > 0 ? [part('Changed', verbatim(changes.join('\n')))] : []),
    part(
      result.status === 'ok' ? 'Output' : `Output (${result.status})`,
      result.text || result.pictures === undefined
        ? patchOr(result.text || images || '(nothing)', '', failed ? 'bad' : '')
        : element('div'),
    ),
    ...pictures(result),
  ]
}

/** Text in the colours of a language, or a patch in those of a patch. */
function patchOr(text: string, language: string, kind = ''): HTMLElement {
  const isPatch = /^(?:\*\*\* Begin Patch|diff --git|--- \S)/.test(text)
  return verbatim(text, kind, isPatch ? 'diff' : language)
}

function bundleParts(item: Item, { kept, cited, data }: Model, { pick }: DetailActions): HTMLElement[] {
  const indexes = [item.index, ...(item.result === undefined ? [] : [item.result])]
  const excerpts = new Set(indexes.flatMap((index) => kept.get(index) ?? []))
  const statements = new Set(indexes.flatMap((index) => cited.get(index) ?? []))
  const buttons = [...statements].map(({ number, section, text }) =>
    button({ class: 'cite' }, () => pick(number), element('b', {}, section), ` ${text}`),
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
  return element('section', { class: 'part' }, element('h3', {}, label), body)
}

function footer(event: PageEvent, result: PageEvent | undefined): HTMLElement {
  const ids = result === undefined ? event.id : `${event.id} → ${result.id}`
  const time = event.time === undefined ? '' : fullTime(event.time)
  const tokens = `${count(event.tokens)}${result === undefined ? '' : ` + ${count(result.tokens)}`} tokens`
  const took = durationOf(event, result)
  const parts = [
    ids,
    time,
    took === undefined ? '' : `took ${duration(took)}`,
    tokens,
    event.model,
    event.source,
  ]
  const copy = copyButton(() => linkTo(event.id), `Copy a link to ${event.id}`)
  return element('div', { class: 'footer' }, element('span', {}, parts.filter(Boolean).join('  ·  ')), copy)
}
