import { getNodeValue, type Node } from 'jsonc-parser'
import { addElement, addProperty, nodeAt, parseSettings, removeChild } from './edit-settings.ts'
import { isHookCommand } from './guarded-command.ts'
import type { HookSettings } from './hook-settings.ts'
import type { InstallRecord } from './settings-file.ts'

export interface ChangedSettings {
  readonly text: string
  readonly events: readonly string[]
  /** Fields and lists that were created for the hooks, as paths joined with a line feed, which no name contains. */
  readonly made: readonly string[]
}

const separator = '\n'

const place = (...names: string[]): string => names.join(separator)

export function addHooks(text: string, settings: HookSettings): ChangedSettings {
  const { path, fields, hooks } = settings
  const made: string[] = []
  const events: string[] = []
  let now = text
  for (const [name, value] of Object.entries(fields)) {
    const root = parseSettings(now, path)
    if (hasProperty(root, name)) continue
    now = addProperty(now, root, name, value)
    made.push(name)
  }
  const isStale = ({ event }: OwnEntry): boolean => !hooks.some((wanted) => wanted.event === event)
  for (let found = ownEntries(now, settings).find(isStale); found !== undefined; ) {
    events.push(found.event)
    now = removeEmpty(removeChild(now, found.list, found.element), place('hooks', found.event), path)
    found = ownEntries(now, settings).find(isStale)
  }
  const root = parseSettings(now, path)
  if (nodeAt(root, ['hooks'], 'object', path) === undefined) {
    now = addProperty(now, root, 'hooks', {})
    made.push('hooks')
  }
  for (const { event, entry } of hooks) {
    const own = ownEntries(now, settings).filter((found) => found.event === event)
    if (own.length === 1 && isSame(own[0]?.element, entry)) continue
    for (let found = own.at(-1); found !== undefined; found = ownOf(now, settings, event))
      now = removeChild(now, found.list, found.element)
    const group = nodeAt(parseSettings(now, path), ['hooks'], 'object', path)
    const list = nodeAt(parseSettings(now, path), ['hooks', event], 'array', path)
    if (list !== undefined) now = addElement(now, list, entry)
    else if (group !== undefined) {
      now = addProperty(now, group, event, [entry])
      made.push(place('hooks', event))
    }
    events.push(event)
  }
  return { text: now, events, made }
}

/** Removes tenfold's hooks, and what was created for them unless it holds something else by now. */
export function removeHooks(
  text: string,
  settings: HookSettings,
  record: Pick<InstallRecord, 'created' | 'made'> | undefined,
): ChangedSettings {
  const { path, fields } = settings
  const events: string[] = []
  let now = text
  for (let found = ownOf(now, settings); found !== undefined; found = ownOf(now, settings)) {
    events.push(found.event)
    now = removeChild(now, found.list, found.element)
  }
  if (events.length === 0) return { text, events, made: [] }
  // Without a record of what was created, empty lists of the events count as created.
  const places = record?.made ?? [...events.map((event) => place('hooks', event)), 'hooks']
  const deepestFirst = [...places].sort((a, b) => b.split(separator).length - a.split(separator).length)
  for (const name of deepestFirst.filter((each) => !(each in fields))) now = removeEmpty(now, name, path)
  // In a file that others use too by now, a field such as the version is theirs.
  for (const name of deepestFirst.filter((each) => each in fields)) {
    const root = parseSettings(now, path)
    const child = root.children?.find((property) => property.children?.[0]?.value === name)
    const shared = record?.created === true && hasProperty(root, 'hooks')
    if (child !== undefined && !shared) now = removeChild(now, root, child)
  }
  return { text: now, events: [...new Set(events)], made: [] }
}

function removeEmpty(text: string, name: string, path: string): string {
  const names = name.split(separator)
  const root = parseSettings(text, path)
  const parent = names.length === 1 ? root : nodeAt(root, names.slice(0, -1), 'object', path)
  const child = parent?.children?.find((property) => property.children?.[0]?.value === names.at(-1))
  const value = child?.children?.[1]
  if (parent === undefined || child === undefined || value === undefined || value.children?.length !== 0)
    return text
  // Comments in it belong to somebody.
  const inside = text.slice(value.offset + 1, value.offset + value.length - 1)
  return inside.trim() === '' ? removeChild(text, parent, child) : text
}

interface OwnEntry {
  readonly event: string
  readonly list: Node
  /** The element of the event's list, or of the `hooks` of a group that others share. */
  readonly element: Node
}

function ownOf(text: string, settings: HookSettings, event?: string): OwnEntry | undefined {
  return ownEntries(text, settings)
    .filter((found) => event === undefined || found.event === event)
    .at(-1)
}

function ownEntries(text: string, settings: HookSettings): OwnEntry[] {
  const { path, agent } = settings
  const isOwn = (hook: Node): boolean => isHookCommand(String(field(hook, 'command')?.value), agent)
  const group = nodeAt(parseSettings(text, path), ['hooks'], 'object', path)
  return (group?.children ?? []).flatMap((property) => {
    const [name, list] = property.children ?? []
    if (list?.type !== 'array') return []
    return (list.children ?? []).flatMap((element) => {
      const event = String(name?.value)
      if (isOwn(element)) return [{ event, list, element }]
      const inner = field(element, 'hooks')
      const own = (inner?.children ?? []).filter(isOwn)
      if (inner === undefined || own.length === 0) return []
      // Somebody may have put their own hook into our group.
      if (own.length === inner.children?.length) return [{ event, list, element }]
      return own.map((hook) => ({ event, list: inner, element: hook }))
    })
  })
}

function field(node: Node, name: string): Node | undefined {
  if (node.type !== 'object') return undefined
  return node.children?.find((property) => property.children?.[0]?.value === name)?.children?.[1]
}

function hasProperty(root: Node, name: string): boolean {
  return field(root, name) !== undefined
}

function isSame(node: Node | undefined, value: unknown): boolean {
  return node !== undefined && JSON.stringify(getNodeValue(node)) === JSON.stringify(value)
}
