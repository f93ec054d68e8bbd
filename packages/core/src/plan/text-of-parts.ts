import type { ExcerptPart } from './excerpt.ts'

const partsOf = Symbol('parts')

interface Parts {
  readonly [partsOf]?: readonly ExcerptPart[]
}

// One function for all items: V8 gives each object with an accessor of its own a table of its own.
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
export function withTextOfParts<T extends { readonly text: string }>(
  item: T,
  parts: readonly ExcerptPart[],
): T {
  Object.defineProperty(item, partsOf, { value: parts })
  return Object.defineProperty(item, 'text', text)
}
