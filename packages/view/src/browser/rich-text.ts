import { structuredPatch } from 'diff'
import { colored } from './code.ts'
import { append, button, element, withCopy } from './dom.ts'
import { count } from './format.ts'
import { markdown } from './markdown.ts'
import type { PageEvent } from './page-data.ts'

const clipLines = 48
const clipLength = 8000

export function prose(text: string): HTMLElement {
  return clipped(text, (part) => {
    return append(element('div', { class: 'prose', dir: 'auto' }), ...markdown(part))
  })
}

export function verbatim(text: string, kind = '', language = ''): HTMLElement {
  const box = clipped(text, (part) =>
    element('pre', { class: `verbatim ${kind}`, tabindex: 0 }, ...colored(part, language)),
  )
  return withCopy(box, () => text)
}

/** The beginning of a long text, and a button for the rest. */
function clipped(text: string, draw: (part: string) => HTMLElement): HTMLElement {
  const head = beginningOf(text)
  if (head === text) return draw(text)
  const lines = text.split('\n').length
  const box = element('div', { class: 'clipped' }, draw(head))
  const rest = lines > clipLines ? `all ${count(lines)} lines` : `all ${count(text.length)} characters`
  const more = button({ class: 'more' }, () => box.replaceChildren(draw(text)), `Show ${rest}`)
  box.append(more)
  return box
}

function beginningOf(text: string): string {
  let end = -1
  for (let line = 0; line < clipLines; line++) {
    end = text.indexOf('\n', end + 1)
    if (end === -1) break
  }
  // A few more lines are shown rather than hidden behind a button.
  const few = end !== -1 && text.slice(end + 1).split('\n', 9).length < 9
  const head = end === -1 || few ? text : text.slice(0, end)
  return head.length <= clipLength * 1.2 ? head : head.slice(0, clipLength)
}

export function pictures({ id, pictures: images = [] }: PageEvent): HTMLElement[] {
  if (images.length === 0) return []
  const shown = images.map((source, index) =>
    element('img', { src: source, alt: `Image ${index + 1} of ${id}`, loading: 'lazy', decoding: 'async' }),
  )
  return [element('div', { class: 'pictures' }, ...shown)]
}

const context = 3
/** Texts that differ in more lines are shown one below the other: comparing them would take long. */
const maxEditLength = 1500

/** The lines that an edit removes and adds, each with its sign, in the colours of a language. */
export function diffView(before: string, after: string, language: string): HTMLElement {
  const patch = structuredPatch('', '', before, after, '', '', { context, maxEditLength })
  const hunks = patch?.hunks ?? [{ lines: [...signed(before, '-'), ...signed(after, '+')] }]
  const block = element('pre', { class: 'verbatim diff', tabindex: 0 })
  for (const [index, { lines }] of hunks.entries()) {
    if (index > 0) append(block, element('span', { class: 'gap' }, '⋯\n'))
    for (const line of lines) if (!line.startsWith('\\')) append(block, diffLine(line, language))
  }
  return withCopy(block, () => after)
}

const kinds: ReadonlyMap<string, string> = new Map([
  ['+', 'added'],
  ['-', 'removed'],
])

function diffLine(line: string, language: string): HTMLElement {
  const sign = line.slice(0, 1)
  return element(
    'span',
    { class: kinds.get(sign) },
    element('i', { class: 'sign' }, sign === '-' ? '−' : sign),
    ...colored(line.slice(1), language),
    '\n',
  )
}

function signed(text: string, sign: string): string[] {
  return text === '' ? [] : text.split('\n').map((line) => `${sign}${line}`)
}
