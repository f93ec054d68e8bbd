import { TenfoldError } from '@tenfold/core'
import {
  findNodeAtLocation,
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser'
import { isHookCommand } from './guarded-command.ts'

// Edits insert and remove one piece of text, so everything else, with comments and line ends, stays as it is.

export interface HookSettings {
  readonly agent: string
  readonly path: string
  readonly fields: Readonly<Record<string, unknown>>
  readonly hooks: readonly { readonly event: string; readonly entry: Readonly<Record<string, unknown>> }[]
}

export interface EditedHooks {
  readonly text: string
  readonly events: readonly string[]
}

export function addHooks(text: string, settings: HookSettings): EditedHooks {
  const { path, fields, hooks } = settings
  const texts = (entries: HookSettings['hooks']) =>
    entries.map(({ event, entry }) => JSON.stringify([event, entry])).sort()
  const own = ownEntries(text, settings).map(({ event, node }) => ({ event, entry: getNodeValue(node) }))
  if (texts(own).join() === texts(hooks).join()) return { text, events: [] }
  let now = removeHooks(text, settings).text
  for (const [name, value] of Object.entries({ ...fields, hooks: {} }))
    if (findNodeAtLocation(parseSettings(now, path), [name]) === undefined)
      now = insert(now, [], path, value, name)
  for (const { event, entry } of hooks)
    now =
      findNodeAtLocation(parseSettings(now, path), ['hooks', event]) === undefined
        ? insert(now, ['hooks'], path, [entry], event)
        : insert(now, ['hooks', event], path, entry)
  return { text: now, events: hooks.map(({ event }) => event) }
}

export function removeHooks(text: string, settings: HookSettings): EditedHooks {
  const events = new Set<string>()
  let now = text
  for (let own = ownEntries(now, settings); own.length > 0; own = ownEntries(now, settings))
    for (const { event, node } of own.slice(-1)) {
      events.add(event)
      now = removeNode(now, node)
    }
  const lists = [...[...events].map((event) => ['hooks', event]), ...(events.size > 0 ? [['hooks']] : [])]
  return {
    events: [...events],
    text: lists.reduce((left, list) => removeEmpty(left, list, settings.path), now),
  }
}

/** tenfold's entries: elements of an event's list, or single hooks in a group that contains other hooks too. */
function ownEntries(text: string, { path, agent }: HookSettings) {
  const isOwn = (hook: Node) => isHookCommand(String(findNodeAtLocation(hook, ['command'])?.value), agent)
  const group = findNodeAtLocation(parseSettings(text, path), ['hooks'])
  return (group?.children ?? []).flatMap(({ children: [name, list] = [] }) =>
    (list?.children ?? []).flatMap((element) => {
      const inner = findNodeAtLocation(element, ['hooks'])?.children ?? []
      const own = inner.filter(isOwn)
      const isWhole = isOwn(element) || (own.length > 0 && own.length === inner.length)
      return (isWhole ? [element] : own).map((node) => ({ event: String(name?.value), node }))
    }),
  )
}

function parseSettings(text: string, path: string): Node {
  const invalid = (reason: string) =>
    new TenfoldError('invalid-settings', `${path} was not changed: ${reason}. Fix it and try again.`)
  const errors: ParseError[] = []
  const root = parseTree(text.replace(/^\ufeff/, ' '), errors, { allowTrailingComma: true })
  const [error] = errors
  if (error !== undefined) {
    const line = text.slice(0, error.offset).split('\n').length
    // `CloseBraceExpected` becomes "close brace expected".
    const words = printParseErrorCode(error.error)
      .replace(/(?<=[a-z])(?=[A-Z])/g, ' ')
      .toLowerCase()
    throw invalid(`line ${line}: ${words}`)
  }
  if (root?.type !== 'object') throw invalid('it is not a JSON object')
  const names = (root.children ?? []).map(({ children }) => children?.[0]?.value)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw invalid(`${JSON.stringify(twice)} occurs twice`)
  const group = findNodeAtLocation(root, ['hooks'])
  if (group !== undefined && group.type !== 'object') throw invalid('hooks is not an object')
  const other = group?.children?.find(({ children }) => children?.[1]?.type !== 'array')
  if (other !== undefined) throw invalid(`hooks.${other.children?.[0]?.value} is not a list`)
  return root
}

/** Adds a property at the end of the object at `place`, or, without a name, an element at the end of the array. */
function insert(text: string, place: string[], path: string, value: unknown, name?: string): string {
  const parent = findNodeAtLocation(parseSettings(text, path), place)
  if (parent === undefined) return text
  const eol = eolOf(text)
  const [, step = '  '] = /\n([ \t]+)\S/.exec(text) ?? []
  const outer = indentAt(text, parent.offset)
  const inner = outer + (step.startsWith('\t') ? '\t' : step)
  const json = JSON.stringify(value, null, step.startsWith('\t') ? '\t' : step).replaceAll(
    '\n',
    `${eol}${inner}`,
  )
  const piece = `${eol}${inner}${name === undefined ? '' : `${JSON.stringify(name)}: `}${json}`
  const last = parent.children?.at(-1)
  const at = last === undefined ? parent.offset + 1 : last.offset + last.length
  return `${text.slice(0, at)}${last === undefined ? `${piece}${eol}${outer}` : `,${piece}`}${text.slice(at)}`
}

/** Removes a property or an element, exactly as `insert` added it. Comments of others stay. */
function removeNode(text: string, node: Node): string {
  const { parent } = node
  const children = parent?.children ?? []
  const index = children.indexOf(node)
  const end = node.offset + node.length
  const [before, next] = [children[index - 1], children[index + 1]]
  if (before !== undefined) {
    const from = before.offset + before.length
    const between = text.slice(from, node.offset)
    const kept = /^\s*,\s*$/.test(between) ? '' : between.replace(/,(?=[^,]*$)/, '').trimEnd()
    return text.slice(0, from) + kept + text.slice(end)
  }
  if (next !== undefined) {
    const between = text.slice(end, next.offset)
    const gap = /^\s*,\s*$/.test(between) ? '' : between.replace(',', '').trimStart()
    return text.slice(0, node.offset) + gap + text.slice(next.offset)
  }
  const start = (parent?.offset ?? 0) + 1
  const tail = `${eolOf(text)}${indentAt(text, start - 1)}`
  const rest = text.slice(end).replace(/^\s*,/, '')
  const kept = text.slice(start, node.offset).trimEnd()
  return text.slice(0, start) + kept + (rest.startsWith(tail) ? rest.slice(tail.length) : rest)
}

function removeEmpty(text: string, place: string[], path: string): string {
  const node = findNodeAtLocation(parseSettings(text, path), place)
  if (node?.parent === undefined || node.children?.length !== 0) return text
  // It is kept if it contains a comment, which someone wrote.
  const inside = text.slice(node.offset + 1, node.offset + node.length - 1)
  return inside.trim() === '' ? removeNode(text, node.parent) : text
}

function eolOf(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n'
}

function indentAt(text: string, offset: number): string {
  const line = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset)
  return /^\ufeff?([ \t]*)/.exec(line)?.[1] ?? ''
}
