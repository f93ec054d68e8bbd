import { structuredPatch } from 'diff'
import { colored } from './code.ts'
import { withCopy } from './copy.ts'
import { append, element } from './dom.ts'

/** Lines of context around a change. */
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
