import type { ExcerptPart } from './excerpt.ts'
import type { TranscriptItem } from './transcript-item.ts'

const partsOf = Symbol('parts')

interface Parts {
  readonly [partsOf]?: readonly ExcerptPart[]
}

// One function for all items, and none that had a text before: V8 would give each object a table of its own.
const text: PropertyDescriptor = {
  enumerable: true,
  configurable: true,
  get(this: Parts) {
    return this[partsOf]?.map((part) => part.text).join('\n')
  },
}

/**
 * Gives an item the texts of its parts, one per line, joined whenever they are read: what tools printed would be in
 * memory once more, the largest part of a session.
 */
export function withTextOfParts(
  item: Omit<TranscriptItem, 'text'>,
  parts: readonly ExcerptPart[],
): TranscriptItem {
  Object.defineProperty(item, partsOf, { value: parts })
  return Object.defineProperty(item, 'text', text) as TranscriptItem
}
