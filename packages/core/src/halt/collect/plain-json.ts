import { messageOf } from '../../errors.ts'
import type { DumpNote } from '../dump-schema.ts'

/** Deeper values overflow the stack of code that walks them. */
const deepest = 100

/**
 * Converts any value to plain JSON, so that no input makes a dump fail: errors with their causes, maps and sets as
 * lists, big integers as text; a value without a JSON form, a cyclic one or one deeper than 100 levels becomes a text
 * that says so.
 */
export function plainJson(value: unknown, note: (note: DumpNote) => void = () => {}): unknown {
  const above = new Set<object>()
  const lost = (message: string): string => {
    note({ code: 'value-replaced', message })
    return `[${message}]`
  }
  const walk = (item: unknown, depth: number): unknown => {
    if (typeof item === 'string') return item.toWellFormed()
    if (typeof item === 'bigint' || (typeof item === 'number' && !Number.isFinite(item))) return String(item)
    if (typeof item === 'function' || typeof item === 'symbol') return lost(`a ${typeof item}`)
    if (typeof item !== 'object' || item === null) return item
    if (above.has(item)) return lost('a value that holds itself')
    if (depth > deepest) return lost(`a value deeper than ${deepest} levels`)
    above.add(item)
    try {
      return walkObject(item, depth + 1)
    } catch (error) {
      return lost(`a value that cannot be read: ${messageOf(error)}`)
    } finally {
      above.delete(item)
    }
  }
  const walkObject = (item: object, depth: number): unknown => {
    if (item instanceof Error) {
      const { name, message, stack, cause } = item
      return walk({ ...{ name, message, stack, cause }, ...Object.fromEntries(Object.entries(item)) }, depth)
    }
    if (item instanceof Map || item instanceof Set) return walk([...item], depth)
    if (item instanceof Uint8Array) return `base64:${Buffer.from(item).toString('base64')}`
    if ('toJSON' in item && typeof item.toJSON === 'function') return walk(item.toJSON(), depth)
    if (Array.isArray(item)) return Array.from(item, (child: unknown) => walk(child, depth) ?? null)
    const entries = Object.entries(item).map(([key, child]) => [key.toWellFormed(), walk(child, depth)])
    // Defines properties, so that a `__proto__` key is like any other.
    return Object.fromEntries(entries.filter(([, child]) => child !== undefined))
  }
  return walk(value, 0)
}
