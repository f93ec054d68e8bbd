/**
 * The strings of a structured value, each with the text before it: a redactor sees `"password": "…"` as it would in a
 * file, and its findings are mapped back to the string. Lists instead of a list of objects: once a large value was
 * redacted, V8 would allocate the objects of all later values in the old generation, where they stay for minutes.
 */
export interface Slots {
  readonly befores: readonly string[]
  readonly texts: readonly string[]
}

/** Longer strings are searched on their own and left out of the context of others. */
const maxInContextLength = 500

/** Part of a slot in the context text: its text, or the text before it. */
export interface SlotPlace {
  readonly slot: number
  readonly part: 'before' | 'text'
  readonly start: number
  readonly end: number
}

/** The slots of a value as one text, with two ends for each: of the text before it and of its own. */
export interface SlotContext {
  readonly text: string
  readonly ends: readonly number[]
}

/** The slots of a value as one text, in which the parts follow each other without gaps; long strings are left out. */
export function slotContext({ befores, texts }: Slots): SlotContext {
  const parts: string[] = []
  const ends: number[] = []
  let end = 0
  for (const [slot, text] of texts.entries()) {
    const before = befores[slot] as string
    parts.push(before)
    end += before.length
    ends.push(end)
    if (text.length <= maxInContextLength) {
      parts.push(text)
      end += text.length
    }
    ends.push(end)
  }
  return { text: `${parts.join('')}"`, ends }
}

/** The place with this number in a context, if there is one. */
export function slotPlace({ ends }: SlotContext, number: number): SlotPlace | undefined {
  const end = ends[number]
  if (end === undefined) return undefined
  return { slot: number >> 1, part: number % 2 === 0 ? 'before' : 'text', start: ends[number - 1] ?? 0, end }
}

/** The strings of a JSON value, including keys, in the order in which {@link replaceLeaves} expects them. */
export function leavesOf(value: unknown): Slots {
  const befores: string[] = []
  const texts: string[] = []
  const walk = (item: unknown, before: string): void => {
    if (typeof item === 'string') {
      befores.push(before)
      texts.push(item)
    } else if (Array.isArray(item))
      for (const [index, child] of item.entries()) walk(child, index === 0 ? before : '",\n"')
    else if (typeof item === 'object' && item !== null)
      for (const [key, child] of Object.entries(item)) {
        befores.push('",\n"')
        texts.push(key)
        walk(child, '": "')
      }
  }
  walk(value, '"')
  return { befores, texts }
}

/** The value with its strings replaced by `texts`; unchanged parts are returned themselves. */
export function replaceLeaves(value: unknown, texts: readonly string[]): unknown {
  let next = 0
  const walk = (item: unknown): unknown => {
    if (typeof item === 'string') return texts[next++]
    if (typeof item !== 'object' || item === null) return item
    if (Array.isArray(item)) {
      const items = item.map(walk)
      return items.every((child, index) => child === item[index]) ? item : items
    }
    const entries = new Map<string, unknown>()
    let same = true
    for (const [key, child] of Object.entries(item)) {
      const newKey = texts[next++] as string
      const newChild = walk(child)
      same &&= newKey === key && newChild === child
      entries.set(freeKey(entries, newKey), newChild)
    }
    // Defines properties, so that a `__proto__` key is an ordinary one.
    return same ? item : Object.fromEntries(entries)
  }
  return walk(value)
}

/** Two forms of one secret as keys of one object have the same mark. */
function freeKey(taken: ReadonlyMap<string, unknown>, key: string): string {
  let free = key
  for (let number = 2; taken.has(free); number++) free = `${key}~${number}`
  return free
}
