import { identifiersOf } from '@tenfold/measure/internal'

/** Sorts of exact values that a later session cannot guess. */
export const literalSorts = ['command', 'value', 'name', 'error'] as const
export type LiteralSort = (typeof literalSorts)[number]

export interface Literal {
  readonly sort: LiteralSort
  readonly text: string
}

const quoted = /`([^`\n]{3,200})`/g
const startsCommand =
  /^(?:[A-Z_][A-Z0-9_]*=\S+ )*(?:np[mx]|pnpm|yarn|bun|node|deno|git|gh|go|cargo|make|docker|kubectl|python3?|pip3?|uv|pytest|mix|bundle|rails|curl|ssh|psql|redis-cli|systemctl|bash|sh|\.{1,2}\/\S+)\s\S/
const values: readonly RegExp[] = [
  /(?<![\w.-])[A-Z][A-Z0-9_]{1,40}=[^\s=`'",;)]{1,80}/g,
  /(?<![\w-])--[a-z][\w-]{1,40}(?:=[^\s`'",;)]{1,80})?/g,
  /(?<![\w.])v?\d{1,4}(?:\.\d{1,6}){1,3}(?![\w.]\d)/g,
  /(?<![\w.])\d{1,9} ?(?:ms|s|sec|min|h|[kmg]i?b|px|em|rem|%)(?!\w)/gi,
  /(?<![\w.,])\d{3,18}(?!\w|[.,]\d)/g,
]

/**
 * The exact values of a text: commands and code between backquotes, settings, flags, versions, sizes, counts, and
 * identifiers. Each once.
 */
export function literalsIn(text: string): Literal[] {
  const found = new Map<string, Literal>()
  const add = (sort: LiteralSort, literal: string) => {
    const plain = literal.trim()
    if (plain !== '' && !found.has(plain)) found.set(plain, { sort, text: plain })
  }
  if (startsCommand.test(text)) add('command', text)
  for (const [, code = ''] of text.matchAll(quoted)) add(startsCommand.test(code) ? 'command' : 'value', code)
  const bare = text.replaceAll(quoted, ' ')
  for (const pattern of values) for (const [value] of bare.matchAll(pattern)) add('value', value)
  for (const name of identifiersOf(bare)) add('name', name)
  return [...found.values()]
}
