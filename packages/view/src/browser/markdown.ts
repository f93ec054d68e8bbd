import { lexer, type Token, type Tokens } from 'marked'
import { codeBlock } from './code.ts'
import { type Child, element } from './dom.ts'

// The lexer of `marked` says what a text is made of; the elements are made here, so that HTML in a log stays text.

/** Longer texts are shown as they are: text made for it takes a second at this length, and four times that at twice it. */
const maxLength = 20_000
const maxDepth = 24

/** The blocks of a Markdown text. */
export function markdown(text: string): Child[] {
  if (text.length > maxLength || isDeep(text)) return [element('p', {}, text)]
  return blocks(lexer(text, { gfm: true }), 0)
}

/** Whether a text nests so deep that parsing it takes more than linear time. Nobody writes such Markdown. */
function isDeep(text: string): boolean {
  return /^(?:[ \t]*(?:[>*+-]|\d{1,9}[.)])){24}/m.test(text) || /[[\]*_~`]{200}/.test(text)
}

function blocks(tokens: readonly Token[], depth: number): Child[] {
  if (depth > maxDepth) return [element('p', {}, tokens.map(({ raw }) => raw).join(''))]
  return tokens.map((token) => block(token as Tokens.Generic, depth))
}

function block(token: Tokens.Generic, depth: number): Child {
  switch (token.type) {
    case 'space':
    case 'def':
      return undefined
    case 'heading':
      return heading(token as Tokens.Heading)
    case 'code':
      return codeBlock(token.text, token.lang)
    case 'hr':
      return element('hr')
    case 'blockquote':
      return element('blockquote', {}, ...blocks(token.tokens ?? [], depth + 1))
    case 'list':
      return list(token as Tokens.List, depth)
    case 'table':
      return table(token as Tokens.Table)
    case 'paragraph':
    case 'text':
      return element('p', {}, ...inline(token.tokens ?? [], token.text, depth))
    default:
      return element('p', {}, token.raw.trim())
  }
}

/** A heading of a message is one level below those of the page: messages skip levels, which the page must not. */
function heading({ depth, tokens, text }: Tokens.Heading): HTMLElement {
  return element(
    'div',
    { class: `heading level-${Math.min(depth, 4)}`, role: 'heading', 'aria-level': 3 },
    ...inline(tokens, text, 0),
  )
}

function list({ ordered, start, items }: Tokens.List, depth: number): HTMLElement {
  const entries = items.map((item) => {
    const { task, checked, tokens } = item
    const mark = task ? element('span', { class: 'task' }, checked ? '☑ ' : '☐ ') : undefined
    return element('li', { class: task ? 'tasked' : undefined }, mark, ...tight(tokens, depth + 1))
  })
  if (!ordered) return element('ul', {}, ...entries)
  return element('ol', { start: typeof start === 'number' && start !== 1 ? start : undefined }, ...entries)
}

/** The first text of an item is on the line of its mark. */
function tight(tokens: readonly Token[], depth: number): Child[] {
  return tokens
    .filter(({ type }) => type !== 'checkbox')
    .flatMap((token): Child[] => {
      const { type, tokens: inner = [], text = '' } = token as Tokens.Generic
      return type === 'text' && depth <= maxDepth
        ? [element('span', {}, ...inline(inner, text, depth))]
        : blocks([token], depth)
    })
}

function table({ header, rows, align }: Tokens.Table): HTMLElement {
  const cells = (row: readonly Tokens.TableCell[], tag: 'th' | 'td'): HTMLElement => {
    const made = row.map(({ tokens, text }, index) => {
      const cell = element(tag, { scope: tag === 'th' ? 'col' : undefined }, ...inline(tokens, text, 0))
      cell.style.textAlign = align[index] ?? ''
      return cell
    })
    return element('tr', {}, ...made)
  }
  const body = element('tbody', {}, ...rows.map((row) => cells(row, 'td')))
  return element(
    'div',
    { class: 'table', tabindex: 0, role: 'group', 'aria-label': 'Table' },
    element('table', {}, element('thead', {}, cells(header, 'th')), body),
  )
}

/** A line with its `code` as code. */
export function withCode(text: string): Child[] {
  return text
    .split(/(`[^`\n]+`)/)
    .map((part) =>
      part.length > 2 && part.startsWith('`') && part.endsWith('`')
        ? element('code', {}, part.slice(1, -1))
        : part,
    )
}

function inline(tokens: readonly Token[], text: string, depth: number): Child[] {
  if (tokens.length === 0 || depth > maxDepth) return [text]
  return tokens.flatMap((token) => span(token as Tokens.Generic, depth + 1))
}

function span(token: Tokens.Generic, depth: number): Child[] {
  const { type, tokens = [], text = '', raw } = token
  switch (type) {
    case 'strong':
    case 'em':
    case 'del':
      return [element(type, {}, ...inline(tokens, text, depth))]
    case 'codespan':
      return [element('code', {}, text)]
    case 'br':
      return ['\n']
    case 'link':
      return link(token as Tokens.Link, depth)
    case 'text':
      return inline(tokens, text, depth)
    case 'escape':
      return [text]
    default:
      return [raw]
  }
}

/** Only an address of the web that is encrypted becomes a link, and its target is in sight. */
function link({ href, tokens, text, raw }: Tokens.Link, depth: number): Child[] {
  if (!/^https:\/\/[^\s/]/i.test(href)) return [raw]
  const attributes = { href, title: href, target: '_blank', rel: 'noopener noreferrer nofollow' }
  return [element('a', attributes, ...inline(tokens, text, depth))]
}
