import { asCount, asObject, type JsonObject } from '../../session/json-values.ts'

type Container = Record<string, unknown> | unknown[]

/** Longest list that a change may create by a place beyond its end. */
const maxGap = 1000

/**
 * Applies a line of a chat's log to the chat so far, and returns the chat: `kind` 0 replaces it, 1 sets the value at the
 * path `k`, 2 appends items to a list there, after cutting it at `i` if that is given, and 3 deletes the value. Returns
 * `undefined` if the line does not fit the chat.
 * https://github.com/microsoft/vscode/blob/main/src/vs/workbench/contrib/chat/common/model/objectMutationLog.ts
 */
export function applyChange(chat: JsonObject, { kind, k, v, i }: JsonObject): JsonObject | undefined {
  if (kind === 0) return asObject(v)
  if (!Array.isArray(k) || k.length === 0) return undefined
  const holder = holderAt(chat, k)
  const place: unknown = k.at(-1)
  if (holder === undefined || !isPlace(holder, place)) return undefined
  if (kind === 1) setAt(holder, place, v)
  else if (kind === 3) setAt(holder, place, undefined)
  else if (!append(holder, place, v, asCount(i))) return undefined
  return chat
}

/** What holds the value at a path. What is missing on the way is made: the line that set it may be damaged. */
function holderAt(chat: JsonObject, path: readonly unknown[]): Container | undefined {
  let holder: unknown = chat
  for (const [index, place] of path.slice(0, -1).entries()) {
    if (!isContainer(holder) || !isPlace(holder, place)) return undefined
    const value = valueAt(holder, place) ?? (typeof path[index + 1] === 'number' ? [] : {})
    setAt(holder, place, value)
    holder = value
  }
  return isContainer(holder) ? holder : undefined
}

function append(
  holder: Container,
  place: string | number,
  items: unknown,
  from: number | undefined,
): boolean {
  const list = valueAt(holder, place)
  if (list !== undefined && !Array.isArray(list)) return false
  if (items !== undefined && !Array.isArray(items)) return false
  const kept: unknown[] = list ?? []
  if (from !== undefined && from < kept.length) kept.length = from
  for (const item of items ?? []) kept.push(item)
  if (list === undefined) setAt(holder, place, kept)
  return true
}

function isContainer(value: unknown): value is Container {
  return typeof value === 'object' && value !== null
}

function isPlace(holder: Container, place: unknown): place is string | number {
  if (!Array.isArray(holder)) return typeof place === 'string' && place !== '__proto__'
  const index = asCount(place)
  return index !== undefined && index <= holder.length + maxGap
}

function valueAt(holder: unknown, place: unknown): unknown {
  if (!isContainer(holder) || (typeof place !== 'string' && typeof place !== 'number')) return undefined
  return Object.hasOwn(holder, place) ? (holder as Record<string | number, unknown>)[place] : undefined
}

function setAt(holder: Container, place: string | number, value: unknown): void {
  ;(holder as Record<string | number, unknown>)[place] = value
}

/** Whether a line is a change: a whole value, a value at a path, items of a list, or the end of a value. */
export function isChange({ kind }: JsonObject): boolean {
  return kind === 0 || kind === 1 || kind === 2 || kind === 3
}
