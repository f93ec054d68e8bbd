import { colored } from './code.ts'
import { withCopy } from './copy.ts'
import { append, button, element } from './dom.ts'
import { count } from './format.ts'
import { markdown } from './markdown.ts'

const clipLines = 48
const clipLength = 8000

/** Prose in Markdown. */
export function prose(text: string): HTMLElement {
  return clipped(text, (part) => {
    return append(element('div', { class: 'prose', dir: 'auto' }), ...markdown(part))
  })
}

/** Preformatted text, in the colours of a language if one is named. */
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
