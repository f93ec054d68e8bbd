import type { Span } from './spans.ts'

/** A place where a literal occurs. */
export interface LiteralMatch<T> extends Span {
  readonly owner: T
}

/** Finds many literal strings at once. */
export interface LiteralScanner<T> {
  readonly size: number
  /** Adds a literal, unless it is shorter than the scanner's `shortest`. The first owner of a literal stays. */
  add(literal: string, owner: T): void
  owner(literal: string): T | undefined
  /** At each place the longest literal that `accept` takes; matches may overlap. Sorted by start. */
  matches(text: string, accept?: (match: LiteralMatch<T>) => boolean): LiteralMatch<T>[]
}

const hashBits = 17
const block = 3

/**
 * The algorithm of Wu and Manber: skips most of a text in steps of `shortest - 2` characters.
 * https://webglimpse.net/pubs/TR94-17.pdf
 */
export function literalScanner<T>(shortest: number): LiteralScanner<T> {
  if (shortest < block) throw new RangeError(`expected a length of at least ${block}, got ${shortest}`)
  const furthest = Math.min(shortest - block + 1, 255)
  const steps = new Uint8Array(1 << hashBits).fill(furthest)
  const byHead = new Map<string, { literal: string; owner: T }[]>()
  const owners = new Map<string, T>()

  return {
    get size() {
      return owners.size
    },
    owner: (literal) => owners.get(literal),
    add(literal, owner) {
      if (literal.length < shortest || owners.has(literal)) return
      owners.set(literal, owner)
      for (let end = shortest - furthest + 1; end <= shortest; end++) {
        const hash = hashAt(literal, end - block)
        steps[hash] = Math.min(steps[hash] as number, shortest - end)
      }
      const head = literal.slice(0, shortest)
      const list = byHead.get(head) ?? []
      const place = list.findIndex((other) => other.literal.length < literal.length)
      list.splice(place === -1 ? list.length : place, 0, { literal, owner })
      byHead.set(head, list)
    },
    matches(text, accept = () => true) {
      const found: LiteralMatch<T>[] = []
      if (owners.size === 0) return found
      const isAt = overlapping(text)
      let end = shortest
      while (end <= text.length) {
        const step = steps[hashAt(text, end - block)] as number
        if (step > 0) {
          end += step
          continue
        }
        const start = end - shortest
        for (const entry of byHead.get(text.slice(start, end)) ?? []) {
          const { literal, owner } = entry
          if (!isAt(entry, start)) continue
          const match = { start, end: start + literal.length, owner }
          if (!accept(match)) continue
          found.push(match)
          break
        }
        end++
      }
      return found
    },
  }
}

interface Entry {
  readonly literal: string
}

/** Literals shorter than this are compared whole. */
const longLiteral = 256

/**
 * Whether the text has a literal at a place. Of a long one that overlaps with its last match, as in a text that repeats
 * itself, only the rest is compared: otherwise such a text would take time by its square.
 */
function overlapping(text: string): (entry: Entry, start: number) => boolean {
  // By object, since looking up a long string takes longer the longer it is.
  const last = new Map<Entry, { start: number; readonly periods: Map<number, boolean> }>()
  return (entry, start) => {
    const { literal } = entry
    if (literal.length < longLiteral) return text.startsWith(literal, start)
    const match = last.get(entry)
    const period = match === undefined ? literal.length : start - match.start
    if (match === undefined || period >= literal.length) {
      if (!text.startsWith(literal, start)) return false
      last.set(entry, { start, periods: match?.periods ?? new Map() })
      return true
    }
    if (!text.startsWith(literal.slice(-period), start + literal.length - period)) return false
    const repeats = match.periods.get(period) ?? literal.startsWith(literal.slice(period))
    match.periods.set(period, repeats)
    if (repeats) match.start = start
    return repeats
  }
}

function hashAt(text: string, at: number): number {
  const mixed =
    Math.imul(text.charCodeAt(at), 0x9e3779b1) ^
    Math.imul(text.charCodeAt(at + 1), 0x85ebca6b) ^
    Math.imul(text.charCodeAt(at + 2), 0xc2b2ae35)
  return mixed >>> (32 - hashBits)
}
