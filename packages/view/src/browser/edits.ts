import { structuredPatch } from 'diff'
import { colored } from './code.ts'
import { withCopy } from './copy.ts'
import { append, element } from './dom.ts'
import type { PageEvent } from './page-data.ts'

/** What an edit replaces, and by what. */
export interface Edit {
  readonly before: string
  readonly after: string
}

// The argument names of all agents' tools.
const oldKeys: readonly string[] = ['old_string', 'old_str', 'oldString', 'oldText', 'old_text']
const newKeys: readonly string[] = ['new_string', 'new_str', 'newString', 'newText', 'new_text']

/** The edits of a call, and the labels of the arguments that hold them. */
export function editsOf({ input = [] }: PageEvent): {
  readonly edits: readonly Edit[]
  readonly labels: readonly string[]
} {
  const labels = input.map(([label]) => label)
  const listed = input.find(([label]) => label === 'edits')
  const edits = listed === undefined ? [] : listedEdits(listed[1])
  if (edits.length > 0) return { edits, labels: ['edits'] }
  const edit = editOf(new Map(input))
  if (edit === undefined) return { edits: [], labels: [] }
  return {
    edits: [edit],
    labels: labels.filter((label) => oldKeys.includes(label) || newKeys.includes(label)),
  }
}

function editOf(fields: ReadonlyMap<string, unknown>): Edit | undefined {
  const [before, after] = [oldKeys, newKeys].map((keys) =>
    fields.get(keys.find((key) => fields.has(key)) ?? ''),
  )
  return typeof before === 'string' && typeof after === 'string' ? { before, after } : undefined
}

function listedEdits(text: string): Edit[] {
  let list: unknown
  try {
    list = JSON.parse(text)
  } catch (error) {
    // The log holds something else under this name: it is shown unchanged.
    if (error instanceof SyntaxError) return []
    throw error
  }
  if (!Array.isArray(list)) return []
  const edits = list.map((edit: unknown) =>
    typeof edit === 'object' && edit !== null ? editOf(new Map(Object.entries(edit))) : undefined,
  )
  return edits.every((edit) => edit !== undefined) ? edits : []
}

/** Lines of context around a change. */
const context = 3
/** Texts that differ in more lines are shown one below the other: comparing them would take long. */
const maxEditLength = 1500

/** The lines that an edit removes and adds, each with its sign, in the colours of a language. */
export function diffView(edit: Edit, language: string): HTMLElement {
  const { before, after } = edit
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
