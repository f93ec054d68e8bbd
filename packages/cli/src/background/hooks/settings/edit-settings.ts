import { TenfoldError } from '@tenfold/core'
import { findNodeAtLocation, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser'

// Text is inserted as one piece and removed as that very piece: everything around it, including comments and line ends,
// stays the same byte for byte.

interface Layout {
  readonly eol: string
  readonly indent: string
}

type Path = readonly string[]

export function parseSettings(text: string, path: string): Node {
  const errors: ParseError[] = []
  const root = parseTree(text.replace(/^\ufeff/, ' '), errors, { allowTrailingComma: true })
  const [error] = errors
  if (error !== undefined) {
    const line = text.slice(0, error.offset).split('\n').length
    throw invalid(path, `line ${line}: ${inWords(printParseErrorCode(error.error))}`)
  }
  if (root?.type !== 'object') throw invalid(path, 'it is not a JSON object')
  const names = (root.children ?? []).map((property) => property.children?.[0]?.value)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw invalid(path, `${JSON.stringify(twice)} occurs twice`)
  return root
}

/** `CloseBraceExpected` in words. */
function inWords(code: string): string {
  return code.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase()
}

function invalid(path: string, reason: string): TenfoldError {
  return new TenfoldError('invalid-settings', `${path} was not changed: ${reason}. Fix it and try again.`)
}

export function nodeAt(root: Node, names: Path, type: 'object' | 'array', path: string): Node | undefined {
  const node = findNodeAtLocation(root, [...names])
  if (node === undefined || node.type === type) return node
  throw invalid(path, `${names.join('.')} is not ${type === 'array' ? 'a list' : 'an object'}`)
}

export function addProperty(text: string, parent: Node, name: string, value: unknown): string {
  const layout = layoutOf(text)
  return insert(text, parent, layout, (indent) => `${JSON.stringify(name)}: ${print(value, indent, layout)}`)
}

export function addElement(text: string, parent: Node, value: unknown): string {
  const layout = layoutOf(text)
  return insert(text, parent, layout, (indent) => print(value, indent, layout))
}

function insert(text: string, parent: Node, layout: Layout, make: (indent: string) => string): string {
  const outer = indentAt(text, parent.offset)
  const inner = outer + layout.indent
  const last = parent.children?.at(-1)
  if (last !== undefined) {
    const at = last.offset + last.length
    return `${text.slice(0, at)},${layout.eol}${inner}${make(inner)}${text.slice(at)}`
  }
  const at = parent.offset + 1
  return `${text.slice(0, at)}${layout.eol}${inner}${make(inner)}${layout.eol}${outer}${text.slice(at)}`
}

/** The text without a child of an object or a list: exactly what `addProperty` and `addElement` inserted. */
export function removeChild(text: string, parent: Node, child: Node): string {
  const children = parent.children ?? []
  const index = children.indexOf(child)
  const end = child.offset + child.length
  const before = children[index - 1]
  if (before !== undefined) {
    const from = before.offset + before.length
    const between = text.slice(from, child.offset)
    // A comment between the two stays; the comma after it is removed.
    const kept = /^\s*,\s*$/.test(between) ? '' : between.replace(/,(?=[^,]*$)/, '').trimEnd()
    return text.slice(0, from) + kept + text.slice(end)
  }
  const next = children[index + 1]
  if (next !== undefined) {
    const between = text.slice(end, next.offset)
    const gap = /^\s*,\s*$/.test(between) ? '' : between.replace(',', '').trimStart()
    return text.slice(0, child.offset) + gap + text.slice(next.offset)
  }
  const start = parent.offset + 1
  const lead = text.slice(start, child.offset)
  const { eol } = layoutOf(text)
  const tail = `${eol}${indentAt(text, parent.offset)}`
  const rest = text.slice(end).replace(/^\s*,/, '')
  return (
    text.slice(0, start) +
    (lead.trim() === '' ? '' : lead.trimEnd()) +
    (rest.startsWith(tail) ? rest.slice(tail.length) : rest)
  )
}

function print(value: unknown, indent: string, { eol, indent: step }: Layout): string {
  return JSON.stringify(value, null, step).split('\n').join(`${eol}${indent}`)
}

function layoutOf(text: string): Layout {
  const [, indent = '  '] = /\n([ \t]+)\S/.exec(text) ?? []
  return { eol: text.includes('\r\n') ? '\r\n' : '\n', indent: indent.startsWith('\t') ? '\t' : indent }
}

function indentAt(text: string, offset: number): string {
  const line = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset)
  return /^\ufeff?([ \t]*)/.exec(line)?.[1] ?? ''
}
