import { once } from './once.ts'

/** V8 compiles an expression for a subject of at least 1000 characters to machine code at once. */
const longSubject = '\0'.repeat(1000)

/**
 * Returns a function that returns a regular expression with many alternatives, which is compiled at the first call. V8
 * would compile it to bytecode first, which takes several times as long as machine code, and to machine code at its
 * second use.
 */
export function largePattern(source: string | RegExp | (() => string), flags?: string): () => RegExp {
  return once(() => {
    const pattern = new RegExp(typeof source === 'function' ? source() : source, flags)
    pattern.test(longSubject)
    pattern.lastIndex = 0
    return pattern
  })
}
