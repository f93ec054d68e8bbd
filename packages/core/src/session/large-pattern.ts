import { once } from './once.ts'

/** V8 compiles an expression straight to machine code for a subject of at least 1000 characters. */
const longSubject = '\0'.repeat(1000)

/**
 * Returns a function that compiles a regular expression with many alternatives at its first call and returns it. It is
 * compiled straight to machine code: V8 would first make bytecode, which takes several times as long, and machine code
 * at the second use.
 */
export function largePattern(source: string | RegExp | (() => string), flags?: string): () => RegExp {
  return once(() => {
    const pattern = new RegExp(typeof source === 'function' ? source() : source, flags)
    pattern.test(longSubject)
    pattern.lastIndex = 0
    return pattern
  })
}
