import { button, element } from './dom.ts'
import { count } from './format.ts'

const clipLines = 48
const clipLength = 8000

/**
 * Prose with the little Markdown that agents write: fences, headings, lists, unformatted tables, `code` and **bold**.
 */
export function prose(text: string): HTMLElement {
  return clipped(text, (part) => {
    const block = element('div', { class: 'prose', dir: 'auto' })
    block.append(...blocksOf(part))
    return block
  })
}

/** Preformatted text. */
export function verbatim(text: string, kind = ''): HTMLElement {
  return clipped(text, (part) => element('pre', { class: `verbatim ${kind}`, tabindex: 0 }, part))
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

function blocksOf(text: string): HTMLElement[] {
  const blocks: HTMLElement[] = []
  let lines: string[] = []
  let kind = 'p'
  let fence = ''
  const flush = (): void => {
    const body = lines.join('\n')
    lines = []
    if (body.trim() === '') return
    if (kind === 'pre') blocks.push(element('pre', { class: 'verbatim', tabindex: 0 }, body))
    else blocks.push(paragraph(kind, body))
  }
  const next = (line: string, as: string): void => {
    if (as !== kind || as === 'li' || as === 'h') flush()
    kind = as
    lines.push(line)
  }
  for (const line of text.split('\n')) {
    const mark = /^\s*(```+|~~~+)/.exec(line)?.[1] ?? ''
    if (fence !== '') {
      if (mark.startsWith(fence)) {
        flush()
        fence = ''
        kind = 'p'
      } else lines.push(line)
    } else if (mark !== '') {
      flush()
      fence = mark
      kind = 'pre'
    } else if (/^#{1,6} /.test(line)) next(line.replace(/^#+ /, ''), 'h')
    else if (/^\s*\|.*\|\s*$/.test(line)) next(line, 'pre')
    else if (/^\s*(?:[-*•]|\d{1,3}[.)]) /.test(line)) next(line, 'li')
    else if (line.trim() === '') {
      flush()
      kind = 'p'
    } else if (kind === 'li' && /^\s/.test(line)) lines.push(line.trim())
    else next(line, 'p')
  }
  flush()
  return blocks
}

function paragraph(kind: string, body: string): HTMLElement {
  if (kind !== 'li') return element('p', { class: kind === 'h' ? 'heading' : undefined }, ...inline(body))
  const [, indent = '', mark = '', rest = ''] = /^(\s*)([-*•]|\d+[.)]) ([\s\S]*)$/.exec(body) ?? []
  const item = element(
    'p',
    { class: 'listed' },
    element('span', { class: 'mark' }, /\d/.test(mark) ? mark : '•'),
    element('span', {}, ...inline(rest)),
  )
  item.style.setProperty('--indent', String(Math.min(4, Math.floor(indent.length / 2))))
  return item
}

function inline(text: string): Node[] {
  return text.split(/(`[^`\n]+`|\*\*[^*\n]+\*\*)/).map((part) => {
    if (part.length > 2 && part.startsWith('`') && part.endsWith('`'))
      return element('code', {}, part.slice(1, -1))
    if (part.length > 4 && part.startsWith('**') && part.endsWith('**'))
      return element('strong', {}, ...inline(part.slice(2, -2)))
    return document.createTextNode(part)
  })
}
