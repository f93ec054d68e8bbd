/**
 * One string of a structured value, and the text before it: a redactor sees `"password": "…"` as it would in a file,
 * and its findings are mapped back to the string.
 */
export interface Slot {
  readonly before: string
  readonly text: string
}

/** Longer strings are searched on their own and left out of the context of others. */
const maxInContextLength = 500

/** Part of a slot in the context text: its text, or the text before it. */
export interface SlotPlace {
  readonly slot: number
  readonly part: keyof Slot
  readonly start: number
  readonly end: number
}

/**
 * The slots of a value as one text, and the positions of their parts in it, without gaps; long strings are left out.
 */
export function slotContext(slots: readonly Slot[]): { text: string; places: readonly SlotPlace[] } {
  const parts: string[] = []
  const places: SlotPlace[] = []
  let at = 0
  const add = (slot: number, part: keyof Slot, text: string): void => {
    parts.push(text)
    places.push({ slot, part, start: at, end: at + text.length })
    at += text.length
  }
  for (const [slot, { before, text }] of slots.entries()) {
    add(slot, 'before', before)
    if (text.length <= maxInContextLength) add(slot, 'text', text)
  }
  return { text: `${parts.join('')}"`, places }
}

/** The strings of a JSON value, including keys, in the order in which {@link replaceLeaves} expects them. */
export function leavesOf(value: unknown): Slot[] {
  const slots: Slot[] = []
  const walk = (item: unknown, before: string): void => {
    if (typeof item === 'string') slots.push({ before, text: item })
    else if (Array.isArray(item))
      for (const [index, child] of item.entries()) walk(child, index === 0 ? before : '",\n"')
    else if (typeof item === 'object' && item !== null)
      for (const [key, child] of Object.entries(item)) {
        slots.push({ before: '",\n"', text: key })
        walk(child, '": "')
      }
  }
  walk(value, '"')
  return slots
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
